# llama.cpp's command line tools share a library that takes longer to compile than llama.cpp itself.
# The server doesn't use it, but its package asks for it; a variable of the same name wins.
set(LLAMA_BUILD_COMMON OFF)
