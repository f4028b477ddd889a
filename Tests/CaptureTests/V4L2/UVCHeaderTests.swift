import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("UVC payload headers")
struct UVCHeaderTests {
    /// Returns a metadata block in the layout that uvcvideo uses on this machine.
    private func block(length: UInt8, flags: UInt8, _ fields: [UInt8]) -> [UInt8] {
        let host = withUnsafeBytes(of: UInt64(0x0102_0304_0506_0708)) { Array($0) }
        return host + withUnsafeBytes(of: UInt16(1999)) { Array($0) } + [length, flags] + fields
    }

    private func read(_ bytes: [UInt8]) -> UVCHeaderClock? {
        bytes.withUnsafeBytes { UVCHeaderClock(firstOf: $0) }
    }

    private static let presentation: [UInt8] = [0x44, 0x33, 0x22, 0x11]
    private static let clock: [UInt8] = [0x88, 0x77, 0x66, 0x55, 0xFF, 0xFF]

    @Test("Reads the first header of a frame with the fields that its flags announce")
    func fields() {
        let all = read(
            block(length: 12, flags: 0x8C, Self.presentation + Self.clock)
                + block(length: 12, flags: 0x8C, [9, 9, 9, 9] + Self.clock))
        #expect(
            all
                == UVCHeaderClock(
                    presentationTime: 0x1122_3344, sourceClock: 0x5566_7788, busFrame: 0x7FF,
                    hostTime: ClockTime(nanoseconds: 0x0102_0304_0506_0708), hostFrame: 1999))
        let clockOnly = read(block(length: 8, flags: 0x88, Self.clock))
        #expect(clockOnly?.presentationTime == nil && clockOnly?.sourceClock == 0x5566_7788)
        let timeOnly = read(block(length: 6, flags: 0x84, Self.presentation))
        #expect(timeOnly?.presentationTime == 0x1122_3344 && timeOnly?.busFrame == nil)
        // The camera sends vendor data after the fields. The driver omits the data, but the length includes
        // it.
        #expect(read(block(length: 60, flags: 0x8C, Self.presentation + Self.clock))?.sourceClock != nil)
    }

    @Test(
        "Rejects a header that is truncated or shorter than its flags require",
        arguments: [(12, 11), (12, 13), (12, 21), (6, 22), (2, 22)])
    func broken(length: UInt8, count: Int) {
        let whole = block(length: length, flags: 0x8C, Self.presentation + Self.clock)
        #expect(read(Array(whole.prefix(count))) == nil)
        #expect(read([]) == nil)
    }

    @Test("The metadata node is the one after the camera's node in its function, and no other")
    func node() throws {
        let sysfs = try SyntheticSysfs.studio()
        let tree = SysfsTree(root: sysfs.path)
        #expect(MetadataNode.path(of: "/dev/video10", in: tree) == "/dev/video3")
        // These are a metadata node, a laptop's camera, a virtual camera, and a missing node.
        for node in ["/dev/video3", "/dev/video0", "/dev/video4", "/dev/video99"] {
            #expect(MetadataNode.path(of: node, in: tree) == nil)
        }
    }
}
