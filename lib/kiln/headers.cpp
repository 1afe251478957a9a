// Compiles what cmake/KilnLayers.cmake lists once for the files of all layers.
