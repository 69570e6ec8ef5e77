# Families: folders of minitf/contrib with ops, kernels, gradients and files.
#
#   minitf_families         the families that are built
#   minitf_known_families   all that there are

set(MINITF_FAMILIES "all" CACHE STRING
    "Families to build: all, none, or a list such as image;summary")
set(minitf_families "")
set(minitf_known_families "")

# Adds the family of the folder `name`, if MINITF_FAMILIES has it. NEEDS says which
# families its sources include.
function(minitf_family name)
  cmake_parse_arguments(PARSE_ARGV 1 family "" "" NEEDS)
  list(APPEND minitf_known_families ${name})
  set(minitf_known_families ${minitf_known_families} PARENT_SCOPE)
  if(NOT MINITF_FAMILIES STREQUAL "all" AND NOT name IN_LIST MINITF_FAMILIES)
    return()
  endif()
  foreach(needed IN LISTS family_NEEDS)
    if(NOT needed IN_LIST minitf_families)
      message(FATAL_ERROR "The family ${name} needs ${needed}: MINITF_FAMILIES is "
              "'${MINITF_FAMILIES}'")
    endif()
  endforeach()
  add_subdirectory(${name})
  list(APPEND minitf_families ${name})
  set(minitf_families ${minitf_families} PARENT_SCOPE)
endfunction()

# Refuses a name in MINITF_FAMILIES that is no family.
function(minitf_check_families)
  foreach(name IN LISTS MINITF_FAMILIES)
    if(NOT name IN_LIST minitf_known_families AND NOT name MATCHES "^(all|none)$")
      list(JOIN minitf_known_families ", " known)
      message(FATAL_ERROR "No family is called ${name}; there are ${known}")
    endif()
  endforeach()
endfunction()
