# CUDA files with and without a GPU.
#
#   add_cuda_lab(NAME FILE.cu)
#
# makes three programs of one file that has a main:
#
#   NAME_fast    the emulator at full speed
#   NAME_check   the emulator in check mode. At -O0: an optimizer may remove the access that
#                is wrong
#   NAME_gpu     by nvcc, if it is there
#
#   simt_sources(TARGET MODE FILE.cu...)
#
# adds CUDA files to a target, compiled for the emulator; MODE is FAST or CHECK.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(simt_nvcc nvcc HINTS /usr/local/cuda/bin)
set(simt_translator ${CMAKE_CURRENT_LIST_DIR}/../kernels/simt/cu2cpp.py)
set(simt_headers ${CMAKE_CURRENT_LIST_DIR}/../kernels/simt/include)
set(simt_check_options
  -O0 -g -fsanitize=thread,bounds -fstack-clash-protection
  # Clang leaves out a read that a write of the same place follows, unless it is told.
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -tsan-instrument-read-before-write=1>")

# Adds the C++ of a CUDA file to a target, and sets `out` to its path.
function(simt_translate target file out)
  cmake_path(ABSOLUTE_PATH file)
  cmake_path(GET file FILENAME name)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/${name}.cc)
  cmake_path(GET made PARENT_PATH folder)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${Python3_EXECUTABLE} ${simt_translator} ${file} ${made}
    DEPENDS ${file} ${simt_translator} COMMENT "Translating ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${made})
  set(${out} ${made} PARENT_SCOPE)
endfunction()

function(simt_sources target mode)
  foreach(file IN LISTS ARGN)
    simt_translate(${target} ${file} out)
    # Pragmas of nvcc; and GCC 12 at -O3 takes four numbers that lie at no multiple of 16 by
    # the instruction for those that do, where another branch reads the same as a float4.
    # Large frames touch each of their pages, so none gets past the end of its stack.
    set(options -Wno-unknown-pragmas "$<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>"
      -fstack-clash-protection)
    if(mode STREQUAL "CHECK")
      list(APPEND options ${simt_check_options})
    endif()
    set_source_files_properties(${out} TARGET_DIRECTORY ${target} PROPERTIES
      INCLUDE_DIRECTORIES ${simt_headers}
      COMPILE_OPTIONS "${options}" SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  if(mode STREQUAL "CHECK")
    target_link_libraries(${target} PRIVATE simt_check)
  else()
    target_link_libraries(${target} PRIVATE simt)
  endif()
endfunction()

function(add_cuda_lab name file)
  foreach(mode IN ITEMS FAST CHECK)
    string(TOLOWER ${mode} suffix)
    add_executable(${name}_${suffix})
    simt_sources(${name}_${suffix} ${mode} ${file})
  endforeach()
  if(simt_nvcc)
    cmake_path(ABSOLUTE_PATH file)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}_gpu)
    cmake_path(GET simt_translator PARENT_PATH folder)
    add_custom_command(OUTPUT ${out}
      COMMAND ${simt_nvcc} -std=c++20 -arch=sm_90 -I${folder}/../.. ${file} -o ${out}
      DEPENDS ${file} VERBATIM)
    add_custom_target(${name}_gpu ALL DEPENDS ${out})
  endif()
endfunction()
