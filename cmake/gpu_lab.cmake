# The library of labs whose files are CUDA: these files alone, in check mode.
#
#   minitf_gpu_lab    kernels/gpu/*.cu of such labs, the emulator, and the switch between
#                     answers (minitf/base/lab.cc); nothing else of minitf
#
# A grid has at most four blocks, so a kernel that does not go on in steps of the whole
# grid leaves elements out. What tests an answer compiles it as its own file is compiled
# here (python/minitf_lab/judge/variant.py).
include(cuda_lab)

# Not watched, since what a kernel asks is none of its memory.
add_library(minitf_gpu_lab_switch OBJECT EXCLUDE_FROM_ALL
  ${PROJECT_SOURCE_DIR}/minitf/base/lab.cc)
target_include_directories(minitf_gpu_lab_switch PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(minitf_gpu_lab_switch PROPERTIES
  CXX_STANDARD 20 POSITION_INDEPENDENT_CODE ON)

# One file is compiled also where all answers are handed out as objects: so it is known how.
set(nothing ${PROJECT_BINARY_DIR}/minitf_gpu_lab.dir/nothing.cu)
file(CONFIGURE OUTPUT ${nothing} CONTENT "// Nothing.\n")

add_library(minitf_gpu_lab SHARED EXCLUDE_FROM_ALL
  $<TARGET_OBJECTS:minitf_gpu_lab_switch>)
foreach(unit IN LISTS minitf_cuda_units nothing)
  cmake_path(ABSOLUTE_PATH unit BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE file)
  if(EXISTS ${file})
    simt_translate(minitf_gpu_lab ${file} made)
  else()
    target_sources(minitf_gpu_lab PRIVATE ${PROJECT_SOURCE_DIR}/objects/release/${unit}.o)
  endif()
endforeach()
target_include_directories(minitf_gpu_lab PRIVATE ${PROJECT_SOURCE_DIR} ${simt_headers})
target_compile_definitions(minitf_gpu_lab PRIVATE MINITF_GPU_MAX_BLOCKS=4)
target_compile_options(minitf_gpu_lab PRIVATE
  ${simt_check_options} -UNDEBUG -Wall -Wextra -Wno-unknown-pragmas)
target_precompile_headers(minitf_gpu_lab PRIVATE
  ${PROJECT_SOURCE_DIR}/kernels/simt/cuda.h)
# All of the emulator: a driver calls what no kernel does.
target_link_libraries(minitf_gpu_lab PRIVATE
  -Wl,--whole-archive $<TARGET_FILE:simt> $<TARGET_FILE:simt_check> -Wl,--no-whole-archive
  ${simt_backtrace} Threads::Threads ${CMAKE_DL_LIBS})
add_dependencies(minitf_gpu_lab simt simt_check)
set_target_properties(minitf_gpu_lab PROPERTIES
  CXX_STANDARD 20 POSITION_INDEPENDENT_CODE ON
  LINK_DEPENDS "$<TARGET_FILE:simt>;$<TARGET_FILE:simt_check>"
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/labs/gpu)
