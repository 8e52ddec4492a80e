"""Pass rates with honest bounds: alone, in clusters, in pairs, corrected, of k answers."""
