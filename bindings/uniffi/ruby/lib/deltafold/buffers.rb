# frozen_string_literal: true

module Deltafold
  # The generated code converts a String to an Array of Integers twice per call. This copies the bytes directly.
  class RustBufferBuilder
    remove_method :write, :write_bytes

    def write(value)
      reserve(value.bytesize) { @rust_buf.data.put_bytes(@rust_buf.len, value) }
    end

    def write_bytes(value)
      value = Deltafold.uniffi_bytes(value)
      pack_into(4, "l>", value.bytesize)
      write(value)
    end
  end
end
