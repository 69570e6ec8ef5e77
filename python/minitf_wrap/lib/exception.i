// SWIG_exception and the codes of errors, which every wrapper has already.
