import Testing

@testable import MulticamCapture

@Suite("Buffers reported as filled by a driver")
struct FilledBufferTests {
    private func filled(_ index: Int, bytes: Int) -> V4L2Device.FilledBuffer {
        V4L2Device.FilledBuffer(
            index: index, byteCount: bytes, sequence: 7,
            stamp: DriverStamp(time: nil, isStartOfExposure: false), isFlagged: false)
    }

    @Test("rejects a buffer that was never queued", arguments: [4, 31, Int(UInt32.max)])
    func unknown(index: Int) {
        #expect(filled(index, bytes: 100).checked(lengths: [500, 500, 500, 500], lent: []) == nil)
    }

    @Test("rejects a buffer that a frame still uses")
    func lent() {
        #expect(filled(2, bytes: 100).checked(lengths: [500, 500, 500, 500], lent: [2]) == nil)
        #expect(filled(1, bytes: 100).checked(lengths: [500, 500, 500, 500], lent: [2])?.index == 1)
    }

    @Test(
        "limits the byte count to the buffer's length",
        arguments: [(0, 0), (500, 500), (501, 500), (Int(UInt32.max), 500)])
    func bytes(told: Int, has: Int) {
        let checked = filled(0, bytes: told).checked(lengths: [500, 500], lent: [])
        #expect(checked?.byteCount == has && checked?.sequence == 7)
    }
}
