import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSessionFolder
import Testing

@Suite("Cuts")
struct CutTests {
    private static let second: Int64 = 1_000_000_000
    private static let pip = [
        TestManifest.layer("desk", (0, 0, 1280, 720)),
        TestManifest.layer(
            "face", (940, 520, 320, 180), rotation: .half, mirrored: true, fit: .cover, border: 4),
    ]

    /// Ten seconds at 29.97 fps. The cut starts with picture-in-picture, shows only the face from frame 30
    /// on, and has another audio mix from frame 60 on.
    private static func session() throws -> RecordedSession {
        let rate = FrameRate(30000, per: 1001)
        let end = rate.time(ofTick: 300).nanoseconds
        let face = [
            TestManifest.layer(
                "face", (0, 0, 1280, 720),
                crop: FramePart(
                    PixelRectangle(x: 1, y: 0, width: 1, height: 1), of: FrameSize(width: 2, height: 2)))
        ]
        func at(_ frame: Int64) -> Int64 { rate.time(ofTick: frame).nanoseconds }
        var manifest = TestManifest.make(
            duration: end,
            tracks: [
                TestManifest.camera("desk", duration: end),
                TestManifest.camera("face", width: 320, height: 240, rotation: 90, duration: end),
                TestManifest.program(rate: 30 / 1.001, duration: end),
            ],
            arrangements: [
                Manifest.Arrangement(at_ns: 0, layout: .pip, layers: pip, gains: [:]),
                Manifest.Arrangement(at_ns: at(30), layout: .single, layers: face, gains: [:]),
                Manifest.Arrangement(at_ns: at(60), layout: .single, layers: face, gains: ["host": 0]),
            ])
        manifest.changes = [Manifest.Change(at_ns: at(30), changes: ["show face"])]
        return try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
    }

    @Test("a live cut has frame-accurate shots, one per program picture, and states their origin")
    func live() throws {
        let cut = Cut.live(of: try Self.session())
        #expect(cut.shots.map(\.first) == [0, 30] && cut.shots.map(\.end) == [30, 300])
        #expect(cut.shots.map(\.cameras) == [["desk", "face"], ["face"]])
        #expect(cut.shots.map(\.reason) == ["start of the program", "live: show face"])
    }

    private static func motion(from: Int64, to end: Double, height: Double = 0.5) -> FramingMotion {
        FramingMotion(
            from: from, duration: .seconds(1),
            x: .init(from: .init(place: 0.5), to: end, seconds: 1), y: .init(constant: 0.5),
            height: .init(constant: height), ratio: 16.0 / 9, bounds: .whole)
    }

    /// The session whose camera `desk` is framed automatically in the first shot: it moves from second 0.2 on.
    private static func framedSession() throws -> RecordedSession {
        var session = try session()
        var manifest = TestManifest.make(
            duration: session.duration.nanoseconds,
            tracks: [
                TestManifest.camera(
                    "desk", width: 1920, height: 1080, duration: session.duration.nanoseconds),
                TestManifest.camera("face", width: 320, height: 240, duration: session.duration.nanoseconds),
                TestManifest.program(rate: 30 / 1.001, duration: session.duration.nanoseconds),
            ], arrangements: session.arrangements)
        manifest.arrangements?[0].layers[0].motion = .wide
        manifest.framings = [
            Manifest.Framing(at_ns: second / 5, role: "desk", motion: motion(from: second / 5, to: 0.7))
        ]
        session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        return session
    }

    @Test("motions divide no shots, and each instant shows the part that the motion has reached")
    func framedShot() throws {
        let session = try Self.framedSession()
        let cut = Cut.live(of: session)
        #expect(cut.shots.map(\.first) == [0, 30])
        #expect(session.arrangements.map(\.at_ns).prefix(2) == [0, Self.second / 5])
        func crop(at time: Int64) throws -> PixelRectangle? {
            try #require(session.layers(of: cut.shots[0], at: MediaTime(nanoseconds: time)).first).crop
        }
        let size = FrameSize(width: 1920, height: 1080)
        #expect(
            try crop(at: Self.second / 10)
                == FramingMotion.wide.crop(at: Self.second, of: size, rotation: .none))
        for time in [Self.second / 2, Self.second] {
            #expect(
                try crop(at: time)
                    == Self.motion(from: Self.second / 5, to: 0.7).crop(at: time, of: size, rotation: .none))
        }
        func isMoving(_ time: Int64, _ style: InsetStyle? = nil) -> Bool {
            session.isMoving(
                cut.shots[0], at: MediaTime(nanoseconds: time), size: session.size, style: style)
        }
        #expect(!isMoving(Self.second / 10))
        #expect(isMoving(Self.second / 2))
        #expect(isMoving(Self.second / 2, InsetStyle(fit: .cover)), "also with the layout's own rectangles")
    }

    @Test("in a shot that the program didn't show, a later zoom doesn't change the picture")
    func laterZoom() throws {
        let session = try Self.session()
        let shot = Cut.Shot(first: 0, end: 300, cameras: ["face"], layout: .single, reason: "test")
        let early = session.layers(of: shot)
        #expect(early == session.layers(of: shot, at: MediaTime(nanoseconds: 5 * Self.second)))
        #expect(early.first?.rotation == .half)
    }

    @Test("the arrangement of an instant is the last one that has begun")
    func search() throws {
        let session = try Self.session()
        for arrangement in session.arrangements {
            for offset: Int64 in [-1, 0, 1] {
                let time = MediaTime(nanoseconds: arrangement.at_ns + offset)
                let expected = session.arrangements.last { $0.at_ns <= time.nanoseconds }
                #expect(session.arrangement(at: time) == expected ?? session.arrangements.first)
                #expect(
                    session.nextArrangement(after: time)
                        == session.arrangements.first { $0.at_ns > time.nanoseconds })
            }
        }
    }

    @Test(
        "a manifest without motions can be read, and one with motions is unchanged after writing and reading")
    func manifests() throws {
        let motion = Self.motion(from: 5, to: 0.7)
        var manifest = TestManifest.make(
            duration: Self.second, tracks: [TestManifest.camera("desk", duration: Self.second)],
            arrangements: [Manifest.Arrangement(at_ns: 0, layout: .pip, layers: Self.pip, gains: [:])])
        let old = JSONText.pretty(manifest)
        #expect(!String(decoding: old, as: UTF8.self).contains("motion"))
        #expect(try JSONText.decoder().decode(Manifest.self, from: old) == manifest)
        manifest.framings = [Manifest.Framing(at_ns: 7, role: "desk", motion: motion)]
        #expect(manifest.framedArrangements.map(\.at_ns) == [0, 7])
        let new = JSONText.pretty(manifest)
        #expect(try JSONText.decoder().decode(Manifest.self, from: new) == manifest)
    }

    @Test("a cut is unchanged after writing and reading")
    func roundTrip() throws {
        let session = try Self.session()
        let cut = Cut.live(of: session)
        #expect(try Cut(reading: Array(cut.json), file: "cut.json", for: session) == cut)
    }

    @Test(
        "an invalid cut is rejected with one sentence",
        arguments: [
            ("{", "the cut file isn't valid JSON"),
            (#"{"schema":2,"rate":30,"shots":[]}"#, "another version"),
            (#"{"schema":1,"rate":30,"shots":[]}"#, "expected 10010000000"),
            (
                #"{"schema":1,"rate":30,"shots":[{"from_ns":5e9,"to_ns":10010000000,"show":[],"layout":"pip"}]}"#,
                "expected 0"
            ),
            (
                #"{"schema":1,"rate":30,"shots":[{"from_ns":0,"to_ns":1,"show":[],"layout":"pip"}]}"#,
                "shorter than a frame"
            ),
            (
                #"{"schema":1,"rate":30,"shots":[{"from_ns":0,"to_ns":10010000000,"show":["who"],"layout":"pip"}]}"#,
                "contains `who`"
            ),
            (
                #"{"schema":1,"rate":30,"shots":[{"from_ns":0,"to_ns":10010000000,"show":[],"layout":"x"}]}"#,
                "layout is `x`"
            ),
            (
                #"{"schema":1,"rate":30,"shots":[{"from_ns":0,"to_ns":9223372036854775807,"show":[],"layout":"x"}]}"#,
                "invalid time"
            ),
        ])
    func refused(text: String, words: String) throws {
        let session = try Self.session()
        let error = #expect(throws: CutError.self) {
            _ = try Cut(reading: Array(text.utf8), file: "my.json", for: session)
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix("my.json: ") == true)
    }

    @Test("a live cut shows the program's layers, scaled to other sizes with the same aspect ratio")
    func ownLayers() throws {
        let session = try Self.session()
        let cut = Cut.live(of: session)
        let layers = session.layers(of: cut.shots[0])
        #expect(
            layers.map(\.rectangle) == [
                PixelRectangle(x: 0, y: 0, width: 1280, height: 720),
                PixelRectangle(x: 940, y: 520, width: 320, height: 180),
            ])
        #expect(
            layers[1].isMirrored && layers[1].rotation == .half && layers[1].border == 4
                && layers[1].fit == .cover)
        let small = session.layers(of: cut.shots[0], size: FrameSize(width: 640, height: 360))
        #expect(small[1].rectangle == PixelRectangle(x: 470, y: 260, width: 160, height: 90))
        #expect(
            session.layers(of: cut.shots[1])[0].crop == PixelRectangle(x: 160, y: 0, width: 160, height: 120))
    }

    @Test("another cut places cameras as a profile does, each as last shown by the program")
    func computedLayers() throws {
        let session = try Self.session()
        let shot = Cut.Shot(first: 0, end: 300, cameras: ["desk", "face"], layout: .sideBySide, reason: "")
        let layers = session.layers(of: shot)
        #expect(layers.map(\.rectangle.width) == [640, 640] && layers.map(\.fit) == [.cover, .cover])
        #expect(layers[1].rotation == .half && layers[1].isMirrored)
        let tall = session.layers(
            of: Cut.live(of: session).shots[0], size: FrameSize(width: 720, height: 1280))
        #expect(tall[0].rectangle == PixelRectangle(x: 0, y: 0, width: 720, height: 1280))
        #expect(tall[1].rectangle.width == 180)
    }

    @Test("a cropped track shows its part of the layer's crop")
    func croppedTrack() throws {
        let track = TestManifest.camera(
            "desk", width: 160, height: 180, crop: PixelRectangle(x: 320, y: 0, width: 320, height: 360),
            duration: Self.second)
        let layer = TestManifest.layer(
            "desk", (0, 0, 640, 360),
            crop: FramePart(
                PixelRectangle(x: 1, y: 2, width: 2, height: 2), of: FrameSize(width: 4, height: 4)))
        let manifest = TestManifest.make(
            duration: Self.second,
            tracks: [track, TestManifest.program(rate: 30, width: 640, height: 360, duration: Self.second)],
            arrangements: [Manifest.Arrangement(at_ns: 0, layout: .single, layers: [layer], gains: [:])])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let layers = session.layers(of: Cut.live(of: session).shots[0])
        #expect(layers[0].crop == PixelRectangle(x: 0, y: 90, width: 80, height: 90))
    }
}
