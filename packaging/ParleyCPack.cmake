# What is installed of the program, and the packages of it.
#
# Components: `program` (the program as the system's libraries serve it), `portable` (one that has
# them inside or beside it), `manual` (pages, completions, licences: both have it), `units`.
include(GNUInstallDirs)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# The same objects, linked with archives where Debian has them; what it has only as shared libraries
# is beside it.
add_executable(parley_portable EXCLUDE_FROM_ALL $<TARGET_OBJECTS:parley_main>)
target_link_libraries(parley_portable PRIVATE parley_app)
parley_ship(parley_portable)
set_target_properties(parley_portable PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable
  OUTPUT_NAME parley
  BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN/../lib/parley"
  RULE_LAUNCH_LINK ${CMAKE_CURRENT_LIST_DIR}/link_archives.sh)

set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_target(parley_manual
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:parley> -DFOLDER=${manual}
    -P ${CMAKE_CURRENT_LIST_DIR}/write_manual.cmake
  COMMENT "Writing the manual and the completions")
add_dependencies(parley_manual parley)
# Everything that a package holds.
add_custom_target(parley_packaged DEPENDS parley parley_portable parley_manual)

install(TARGETS parley RUNTIME COMPONENT program)
install(TARGETS parley_portable RUNTIME DESTINATION bin COMPONENT portable)
install(CODE "set(program ${PROJECT_BINARY_DIR}/portable/parley)" COMPONENT portable)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/install_beside.cmake COMPONENT portable)
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/install.sh DESTINATION . COMPONENT portable)
# To be enabled by its path: the prefix is a person's own, and install.sh writes it in.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/user/parley.service DESTINATION share/parley
  COMPONENT portable)

install(DIRECTORY ${manual}/man1 DESTINATION share/man COMPONENT manual)
install(FILES ${manual}/parley.bash DESTINATION share/bash-completion/completions RENAME parley
  COMPONENT manual)
install(FILES ${manual}/parley.zsh DESTINATION share/zsh/vendor-completions RENAME _parley
  COMPONENT manual)
install(FILES ${manual}/parley.fish DESTINATION share/fish/vendor_completions.d COMPONENT manual)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/parley RENAME copyright
  COMPONENT manual)
# What help texts refer to, as it lies in the repository, so that links between pages lead
# somewhere.
foreach(page README SECURITY ARCHITECTURE CHANGELOG)
  install(FILES ${PROJECT_SOURCE_DIR}/${page}.md DESTINATION share/doc/parley COMPONENT manual)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION share/doc/parley COMPONENT manual
  PATTERN pictures EXCLUDE)

# The files of systemd are where Debian looks, whatever the prefix.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/parley.service ${CMAKE_CURRENT_LIST_DIR}/parley.socket
  DESTINATION /lib/systemd/system COMPONENT units)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/user/parley.service
  DESTINATION /usr/lib/systemd/user COMPONENT units)

set(CPACK_PACKAGE_NAME parley)
set(CPACK_PACKAGE_VENDOR Parley)
# Debian's form wants an address, and there is none: this one says so (RFC 2606).
set(CPACK_PACKAGE_CONTACT "The authors of Parley <nobody@parley.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "broker through which AI agents ask people")
set(CPACK_PACKAGE_DESCRIPTION
  "An agent reaches a decision that only a person can make. It asks; a person
answers, from a terminal, a browser or a program; the agent goes on with
exactly that answer. One program, with every protocol that agents and
people already speak.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/cpack_project.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded where a store's address is postgres://.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libpq5")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/postinst
  ${CMAKE_CURRENT_LIST_DIR}/prerm ${CMAKE_CURRENT_LIST_DIR}/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
