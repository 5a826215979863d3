lib%-gate.so: %-gate.c libvec.a
	$(CC) $(CFLAGS) $$(pkg-config --cflags faultline) -shared -fPIC -o $@ $^
