import MulticamMedia
import Testing

@Suite("Screen selectors")
struct ScreenAddressTests {
    @Test("a selector specifies the display, the captured part, and the capture options")
    func everything() throws {
        let plain = try #require(try SourceAddress("screen:").screen)
        #expect(plain.display == nil && plain.part == .wholeDisplay && plain.hasCursor && plain.size == nil)
        #expect(plain.rate == FrameRate(30))
        let region = try #require(
            try SourceAddress("screen:host:10.1?region=640x360+8+16&cursor=no&fps=29.97&size=320x180").screen)
        #expect(region.display == "host:10.1" && !region.hasCursor)
        #expect(region.part == .region(PixelRectangle(x: 8, y: 16, width: 640, height: 360)))
        #expect(region.rate == FrameRate(30000, per: 1001))
        #expect(region.size == FrameSize(width: 320, height: 180))
        let window = try #require(try SourceAddress("screen::0?window=My%20slides").screen)
        #expect(window.display == ":0" && window.part == .window("My slides"))
    }

    @Test("`portal`, or on Wayland a missing display, selects the desktop's screen sharing")
    func shared() throws {
        let wayland = ["WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"]
        let shares = try [
            "screen:", "screen::0", "screen:portal", "screen:portal/my-slides?region=64x64+0+0",
        ].map {
            try #require(try SourceAddress($0).screen)
        }
        #expect(shares.map { $0.isShared(wayland) } == [true, false, true, true])
        #expect(shares.map { $0.isShared(["DISPLAY": ":0"]) } == [false, false, true, true])
        #expect(shares.map { $0.isShared(["WAYLAND_DISPLAY": ""]) } == [false, false, true, true])
        #expect(shares.map(\.shareName) == ["portal", "portal", "portal", "portal/my-slides"])
        #expect(shares.map(\.display) == [nil, ":0", nil, nil])
        #expect(
            SourceAddress.isSharedScreen("screen:", wayland) && !SourceAddress.isSharedScreen("any", wayland))
        #expect(try SourceAddress("screen:portal/my-slides?fps=5").name == "screen:portal/my-slides")
    }

    @Test("a screen's name excludes size and rate, and a long title is shortened to a unique name")
    func names() throws {
        #expect(try SourceAddress("screen::0?fps=5&cursor=no&size=320x180").name == "screen::0?cursor=no")
        #expect(try SourceAddress("screen::0?size=320x180").printable == "screen::0")
        let long = String(repeating: "ä", count: 100)
        let names = try [1, 2].map { try SourceAddress("screen::0?window=\(long)\($0)").name }
        #expect(names[0] != names[1])
        #expect(names.allSatisfy { $0.utf8.count <= 64 && $0.hasPrefix("screen::0?window=ää") })
    }

    @Test("a role's size and rate are added only to screen selectors that lack them")
    func asking() throws {
        let size = FrameSize(width: 640, height: 360)
        #expect(ScreenAddress.selector("screen:", size: nil, rate: nil) == "screen:")
        let asked = ScreenAddress.selector("screen::0?window=x", size: size, rate: FrameRate(15))
        #expect(asked == "screen::0?window=x&size=640x360&fps=15")
        #expect(ScreenAddress.selector("screen:?fps=5", size: nil, rate: FrameRate(15)) == "screen:?fps=5")
        #expect(ScreenAddress.selector("rtsp://host/x", size: size, rate: nil) == "rtsp://host/x")
        let odd = try SourceAddress(
            ScreenAddress.selector("screen:", size: nil, rate: FrameRate(30000, per: 1001)))
        #expect(odd.screen?.rate == FrameRate(30000, per: 1001))
    }

    @Test(
        "an invalid screen selector is rejected with a message that states the expected form",
        arguments: [
            "screen:0", "screen::a", "screen::0.1.2", "screen::70000", "screen::0?window=",
            "screen::0?window=%zz",
            "screen::0?region=640x360", "screen::0?region=640x360+-1+0", "screen::0?region=8x8+0+0",
            "screen::0?window=a&region=640x360+0+0", "screen::0?cursor=maybe", "screen::0?fps=0",
            "screen::0?fps=1000", "screen::0?size=641x360", "screen::0?size=2x2", "screen::0?monitor=1",
            "screen::0?\u{7}", "screen:portal/", "screen:portal/a b",
            "screen:portal/\(String(repeating: "a", count: 33))",
            "screen:portals",
        ])
    func refused(text: String) {
        #expect(SourceAddress.handles(text) && SourceAddress.isScreen(text))
        do {
            _ = try SourceAddress(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(
                error.description.hasSuffix(".") && error.description.contains("expected")
                    || text.contains("&region"))
        }
    }
}
