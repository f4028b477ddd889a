import CMulticamXCB
import Glibc
import MulticamMedia
import Testing

@testable import MulticamRemoteSources

@Suite("Replies of X servers")
struct XReplyTests {
    /// Returns memory as XCB allocates it, with bytes of 0xFF after the reply.
    private func memory(_ bytes: [UInt8], behind: Int = 0) throws -> UnsafeMutableRawPointer {
        let memory = try #require(malloc(bytes.count + behind))
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        memset(memory + bytes.count, 0xFF, behind)
        return memory
    }

    @Test("numbers beyond the end of a reply are not read")
    func counts() throws {
        let bytes = XBytes.reply([], rest: [1, 0, 0, 0, 2, 0, 0, 0])
        guard let reply = XReply<xcb_query_tree_reply_t>(try memory(bytes)) else {
            Issue.record("it is a whole answer")
            return
        }
        let read = [2, 3, -1, .max].map { reply.numbers($0, UInt32.self) }
        #expect(read == [[1, 2], nil, nil, nil])
        let narrow = [8, 9].map { reply.numbers($0, UInt8.self)?.count }
        #expect(narrow == [8, nil])
    }

    @Test("a reply shorter than its type is rejected", arguments: [(0, false), (8, false), (12, true)])
    func short(more: Int, isWhole: Bool) throws {
        // A reply with window attributes has 44 bytes.
        let bytes = XBytes.reply([], rest: XBytes.zeros(more))
        let reply = XReply<xcb_get_window_attributes_reply_t>(try memory(bytes))
        let isTaken = reply != nil
        #expect(isTaken == isWhole)
    }

    /// Returns the top left corner of a black image into which a pointer of 2×1 pixels is drawn.
    private func drawn(rest: [UInt8], size: (Int, Int), behind: Int) throws -> [UInt32] {
        let fixed =
            XBytes.zeros(4) + XBytes.two(size.0) + XBytes.two(size.1) + XBytes.zeros(4) + XBytes.four(7)
        let bytes = XBytes.reply(fixed, rest: rest)
        guard let reply = XReply<xcb_xfixes_get_cursor_image_reply_t>(try memory(bytes, behind: behind))
        else { return [] }
        var pointer = XPointer()
        _ = pointer.update(with: reply, origin: (0, 0))
        var picture = [UInt32](repeating: 0, count: 16)
        picture.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            pointer.draw(
                into: ScreenPixels(start: start, stride: 16, size: FrameSize(width: 4, height: 4)))
        }
        return picture
    }

    @Test("a pointer image with fewer pixels than its size requires is not drawn")
    func pointer() throws {
        let white = [UInt8](repeating: 0xFF, count: 8)
        let honest = try drawn(rest: white, size: (2, 1), behind: 0)
        #expect(honest[0] & 0xFFFFFF == 0xFFFFFF && honest[1] & 0xFFFFFF == 0xFFFFFF && honest[2] == 0)
        let lying = try drawn(rest: white, size: (4, 4), behind: 4096)
        #expect(lying.allSatisfy { $0 == 0 })
        // This product is negative as a 32-bit number.
        let huge = try drawn(rest: white, size: (65535, 65535), behind: 0)
        #expect(huge.allSatisfy { $0 == 0 })
    }
}
