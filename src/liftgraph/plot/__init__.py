"""Pictures: what is in them (scenes), where it is (layouts), and how it is drawn."""
