"""Language models behind one interface: servers, models on this machine, offline models."""
