import MulticamSyntheticMachines
import Testing

@testable import MulticamCapture

@Suite("Capture sticks")
struct CaptureStickTests {
    private func stick(
        product: String, inputs: [UInt8], hasSignalInput: Bool = false
    ) throws -> Bool {
        let machine = try SyntheticMachine()
        try machine.bus(1)
        var device = USBBytes()
        device.interface(0, classCode: 14, subclass: 1)
        device.videoHeader(streaming: [1])
        for type in inputs { device.raw([17, 0x24, 2, 1, 0x01, type, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0]) }
        try machine.camera("usb1/1-2", node: 0, product: product, descriptors: device.bytes)
        let tree = SysfsTree(root: machine.sysfs)
        let folder = try #require(tree.videoNodes().first)
        let camera = SysfsCamera(folder: folder, in: tree, nodes: "/dev") { _ in nil }
        return CaptureStick.isCaptureStick(camera, hasSignalInput: hasSignalInput)
    }

    @Test("are recognized by an input terminal that is not a sensor, a signal input, or their name")
    func told() throws {
        #expect(try stick(product: "USB Video", inputs: [0x04]))
        #expect(try stick(product: "USB Video", inputs: [], hasSignalInput: true))
        #expect(try stick(product: "Cam Link 4K", inputs: [0x02]))
        #expect(try stick(product: "USB3.0 HD Video Capture", inputs: [0x02]))
    }

    @Test("are not devices with a camera sensor or without input information")
    func cameras() throws {
        #expect(try !stick(product: "Studio Webcam", inputs: [0x02]))
        #expect(try !stick(product: "Studio Webcam", inputs: [0x04, 0x02]))
        #expect(try !stick(product: "Studio Webcam", inputs: []))
    }
}
