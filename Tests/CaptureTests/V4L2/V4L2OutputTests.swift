import Testing

@testable import Capture

@Suite("A node that takes frames")
struct V4L2OutputTests {
    /// V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_VIDEO_OUTPUT and V4L2_CAP_READWRITE of linux/videodev2.h.
    private let capture: UInt32 = 0x1
    private let output: UInt32 = 0x2
    private let writes: UInt32 = 0x0100_0000

    private func judged(_ driver: String, _ capabilities: UInt32) -> V4L2Output.Capability {
        V4L2Output.Capability(driver: driver, name: "Desk", capabilities)
    }

    @Test("a loopback takes frames, unless another program sends to it, which only exclusive_caps shows")
    func loopback() {
        for driver in ["v4l2 loopback", "v4l2loopback"] {
            #expect(judged(driver, output | writes) == .frames)
            #expect(judged(driver, capture | output | writes) == .frames)
            #expect(judged(driver, writes) == .frames)
            #expect(judged(driver, capture | writes) == .framesOfAnother)
        }
    }

    @Test("another device takes frames where it is an output that is written to; a camera does not")
    func others() {
        #expect(judged("vivid", output | writes) == .frames)
        #expect(judged("vivid", output) == .none(name: "Desk"))
        #expect(judged("uvcvideo", capture) == .none(name: "Desk"))
        #expect(judged("vivid", capture | writes) == .none(name: "Desk"))
    }
}
