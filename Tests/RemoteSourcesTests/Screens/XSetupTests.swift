import CMulticamXCB
import Testing

@testable import MulticamRemoteSources

@Suite("Connection setup of an X server")
struct XSetupTests {
    private func read(_ bytes: [UInt8], screen: Int = 0) -> XSetup? {
        bytes.withUnsafeBytes { XSetup($0, screen: screen) }
    }

    @Test("a screen with B, G, and R bytes is readable", arguments: [24, 32])
    func readable(depth: UInt8) throws {
        let setup = try #require(read(XBytes.setup(depth: depth), screen: 3))
        #expect(setup.screen.root == 0x100)
        #expect(setup.screen.width_in_pixels == 640)
        #expect(setup.isReadable(33))
        #expect(!setup.isReadable(34))
    }

    @Test("pixels of 10 bits per channel, of three bytes, or in another order are not readable")
    func unreadable() throws {
        let deep = try #require(read(XBytes.setup(depth: 30, masks: (0x3FF0_0000, 0xFFC00, 0x3FF))))
        #expect(!deep.isReadable(33))
        #expect(try #require(read(XBytes.setup(bits: 24))).isReadable(33) == false)
        #expect(try #require(read(XBytes.setup(masks: (0xFF, 0xFF00, 0xFF0000)))).isReadable(33) == false)
    }

    @Test("a setup that is shorter than its counts is rejected")
    func short() {
        let whole = XBytes.setup()
        for count in whole.indices { #expect(read(Array(whole[..<count])) == nil) }
        #expect(read(XBytes.setup(screens: 2)) == nil)
        #expect(read(XBytes.setup(screens: 0)) == nil)
        #expect(read(XBytes.setup(visuals: 65535)) == nil)
    }
}
