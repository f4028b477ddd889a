import Testing

@testable import MulticamCapture

@Suite("V4L2 output nodes")
struct V4L2OutputTests {
    /// V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_VIDEO_OUTPUT, and V4L2_CAP_READWRITE in linux/videodev2.h.
    private let capture: UInt32 = 0x1
    private let output: UInt32 = 0x2
    private let writes: UInt32 = 0x0100_0000

    private func capability(_ driver: String, _ capabilities: UInt32) -> V4L2Output.Capability {
        V4L2Output.Capability(driver: driver, name: "Desk", capabilities)
    }

    @Test("accepts a loopback device unless another program writes to it, which only exclusive_caps reveals")
    func loopback() {
        for driver in ["v4l2 loopback", "v4l2loopback"] {
            #expect(capability(driver, output | writes) == .frames)
            #expect(capability(driver, capture | output | writes) == .frames)
            #expect(capability(driver, writes) == .frames)
            #expect(capability(driver, capture | writes) == .inUseByAnotherWriter)
        }
    }

    @Test("accepts another output device if it supports write(), and rejects a camera")
    func others() {
        #expect(capability("vivid", output | writes) == .frames)
        #expect(capability("vivid", output) == .none(name: "Desk"))
        #expect(capability("uvcvideo", capture) == .none(name: "Desk"))
        #expect(capability("vivid", capture | writes) == .none(name: "Desk"))
    }
}
