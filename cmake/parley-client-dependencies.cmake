# What parley::client needs beyond parley::embedded.
find_dependency(OpenSSL)
