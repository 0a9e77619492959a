from libc.math cimport atanf, cosf, powf, sinf, sqrtf

cdef enum:
    GREATEST = 0x3FFFFFFF


cdef inline float single(float value) noexcept:
    return value


cdef inline float length(float x, float y) noexcept:
    return sqrtf(x * x + y * y)


cdef inline int whole(float value) noexcept:
    # Truncated. A number of a damaged recording may not fit an int, which C leaves undefined.
    if value >= GREATEST:
        return GREATEST
    if value > -GREATEST:
        return <int>value
    return -GREATEST


cdef inline int rounded(float value) noexcept:
    return whole(value + <float>0.5) if value > 0 else whole(value - <float>0.5)


cdef inline int steps(float value) noexcept:
    # A velocity as the game sends it; one that is no number becomes INT_MIN, as on x86.
    return rounded(value * 256) if value > -4194304 else -2147483647 - 1


cdef inline float ratio(float a, float b) noexcept:
    return a / b if b != 0 else <float>0


cdef inline float power(float a, float b) noexcept:
    return powf(a, b) if a > 0 else <float>1


cdef inline float sine(float angle) noexcept:
    return sinf(angle)


cdef inline float cosine(float angle) noexcept:
    return cosf(angle)


cdef inline float arctangent(float value) noexcept:
    return atanf(value)


cdef inline float saturated(float least, float most, float value, float change) noexcept:
    if change < 0:
        if value < least:
            return value
        value += change
        return least if value < least else value
    if value > most:
        return value
    value += change
    return most if value > most else value
