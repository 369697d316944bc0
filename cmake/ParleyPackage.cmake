# The installed package: `find_package(parley COMPONENTS …)` gives a target for each component,
# pkg-config the same as parley-NAME; its static libraries, and the public headers. Each component
# stands on the one before it.
#
#   parley::embedded   a broker inside a program (parley/broker.h, parley/tools.h)
#   parley::client     a broker that runs elsewhere (parley/client.h); needs OpenSSL
#   parley::server     a broker inside a program that others reach too (parley/server.h)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
find_package(tl-expected CONFIG REQUIRED)

set(PARLEY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/parley)
set(PARLEY_PKG_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# parley_component(NAME DESCRIPTION text FOLDERS folder … [ON component] [REQUIRES pkg …]
#   [LIBS -lx …]): the target parley::NAME, which links these folders, lowest first, and the
# component below it; and parley-NAME.pc, which also names what has such a file of its own and what
# has none.
function(parley_component name)
  cmake_parse_arguments(ARG "" "DESCRIPTION;ON" "FOLDERS;REQUIRES;LIBS" ${ARGN})
  add_library(parley_component_${name} INTERFACE)
  set_target_properties(parley_component_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(parley_component_${name} INTERFACE cxx_std_20)
  target_link_libraries(parley_component_${name} INTERFACE tl::expected)
  parley_link(parley_component_${name} INTERFACE ${ARG_FOLDERS})
  if(ARG_ON)
    target_link_libraries(parley_component_${name} INTERFACE parley_component_${ARG_ON})
    list(PREPEND ARG_REQUIRES "parley-${ARG_ON} = ${PROJECT_VERSION}")
  endif()

  set(targets parley_component_${name})
  foreach(folder IN LISTS ARG_FOLDERS)
    set_target_properties(parley_${folder} PROPERTIES EXPORT_NAME folder_${folder})
    list(APPEND targets parley_${folder})
    list(PREPEND libs -lparley_${folder})
  endforeach()
  install(TARGETS ${targets} EXPORT parley-${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
  install(EXPORT parley-${name} FILE parley-${name}.cmake NAMESPACE parley::
    DESTINATION ${PARLEY_PACKAGE_DIR} COMPONENT ${name})

  set(PC_NAME ${name})
  set(PC_DESCRIPTION ${ARG_DESCRIPTION})
  file(RELATIVE_PATH PC_PREFIX /${PARLEY_PKG_CONFIG_DIR} /)
  list(JOIN ARG_REQUIRES ", " PC_REQUIRES)
  list(APPEND libs ${ARG_LIBS})
  list(JOIN libs " " PC_LIBS)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/parley.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/parley-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/parley-${name}.pc
    DESTINATION ${PARLEY_PKG_CONFIG_DIR} COMPONENT ${name})
endfunction()

parley_component(embedded DESCRIPTION "a broker inside a program"
  FOLDERS base text core dialect store broker client
  REQUIRES fmt libutf8proc sqlite3 LIBS -lboost_json -ldl -pthread)
parley_component(client DESCRIPTION "a client of a broker that runs elsewhere" ON embedded
  FOLDERS wire net client_remote
  REQUIRES openssl)
parley_component(server DESCRIPTION "a broker inside a program that others reach too" ON client
  FOLDERS bridge door agent serve)

configure_package_config_file(cmake/parley-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config.cmake INSTALL_DESTINATION ${PARLEY_PACKAGE_DIR})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/parley-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindUtf8proc.cmake
  DESTINATION ${PARLEY_PACKAGE_DIR} COMPONENT embedded)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/parley-client-dependencies.cmake
  DESTINATION ${PARLEY_PACKAGE_DIR} COMPONENT client)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/parley DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT embedded FILES_MATCHING PATTERN "*.h")
