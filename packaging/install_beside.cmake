# Installs beside a portable `program` the shared libraries that it still needs and a bare system
# lacks, and the licences of all libraries that are in it.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program}
  RESOLVED_DEPENDENCIES_VAR libraries UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|pthread|rt|resolv)\\.so")
if(missing)
  message(FATAL_ERROR "not found: ${missing}")
endif()
foreach(library IN LISTS libraries)
  file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/parley TYPE SHARED_LIBRARY
    FOLLOW_SYMLINK_CHAIN)
endforeach()
foreach(package libssl-dev libsqlite3-dev libutf8proc-dev libfmt-dev libmd4c-dev libqrencode-dev
    libboost1.81-dev libstdc++-12-dev)
  set(licence /usr/share/doc/${package}/copyright)
  if(EXISTS ${licence})
    file(INSTALL ${licence} DESTINATION ${CMAKE_INSTALL_PREFIX}/share/doc/parley/licences
      RENAME ${package})
  endif()
endforeach()
