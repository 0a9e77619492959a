cpdef list numbers(bytes data, long long most)
