import Foundation

/// The number of bytes that are collected for one native call.
private let chunkBytes = 16_384

/// The events of an asynchronous source of chunks, in order. An error that ends reading is thrown in place of the next event.
public struct ResponseEvents<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == Data {
    public typealias Element = Event

    let chunks: Chunks
    let reader: Reader

    public struct AsyncIterator: AsyncIteratorProtocol {
        var chunks: Chunks.AsyncIterator
        let reader: Reader
        var ready: [Event] = []
        var at = 0
        var ended = false

        public mutating func next() async throws -> Event? {
            while at == ready.count {
                if ended {
                    _ = try reader.finish()
                    return nil
                }
                at = 0
                if let chunk = try await chunks.next() {
                    ready = try reader.feed(chunk: chunk)
                } else {
                    ended = true
                    ready = try reader.end()
                }
            }
            at += 1
            return ready[at - 1]
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: chunks.makeAsyncIterator(), reader: reader)
    }
}

extension ResponseEvents: Sendable where Chunks: Sendable {}

extension AsyncSequence where Element == Data {
    /// The events of these chunks, split anywhere. The reader has the response and the findings.
    public func responseEvents(_ reader: Reader) -> ResponseEvents<Self> {
        ResponseEvents(chunks: self, reader: reader)
    }
}

/// Bytes of an asynchronous source, such as `URLSession.AsyncBytes`, collected up to the end of a line, where an event can end.
public struct ByteChunks<Bytes: AsyncSequence>: AsyncSequence where Bytes.Element == UInt8 {
    public typealias Element = Data

    let bytes: Bytes

    public struct AsyncIterator: AsyncIteratorProtocol {
        var bytes: Bytes.AsyncIterator

        public mutating func next() async throws -> Data? {
            var chunk = Data()
            while let byte = try await bytes.next() {
                chunk.append(byte)
                // An event can end at a line feed or carriage return; a complete event must not wait for more bytes.
                if byte == 10 || byte == 13 || chunk.count == chunkBytes { return chunk }
            }
            return chunk.isEmpty ? nil : chunk
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(bytes: bytes.makeAsyncIterator())
    }
}

extension ByteChunks: Sendable where Bytes: Sendable {}

extension AsyncSequence where Element == UInt8 {
    /// The events of these bytes, for example of `URLSession.shared.bytes(for:)`. The reader has the response and the findings.
    public func responseEvents(_ reader: Reader) -> ResponseEvents<ByteChunks<Self>> {
        ByteChunks(bytes: self).responseEvents(reader)
    }
}
