/* What the C files of all modules include: gcc reads it once for each level of optimization. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <pythread.h>
#include <structmember.h>
#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
