import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSessionFolder
import Testing

@Suite("A recording that is framed automatically")
struct FramedSessionTests {
    private static let second: Int64 = 1_000_000_000
    private static let frame = FrameSize(width: 1920, height: 1080)
    private static let portrait = FrameSize(width: 540, height: 960)
    private static let settings = FramingSettings(mode: .speaker, maxEnlargement: 2)

    /// Twenty seconds of two cameras and their microphones. The mix changes at second 7.
    private static func session(rotation: Int = 0, crop: PixelRectangle? = nil) throws -> RecordedSession {
        let end = 20 * second
        let size = crop?.size ?? (rotation == 90 ? frame.transposed : frame)
        var manifest = TestManifest.make(
            duration: end,
            tracks: [
                TestManifest.camera(
                    "host", width: size.width, height: size.height, rotation: rotation, crop: crop,
                    duration: end),
                TestManifest.camera("guest", width: 1920, height: 1080, duration: end),
                TestManifest.microphone("mic", duration: end), TestManifest.program(rate: 30, duration: end),
            ],
            arrangements: [0, 7].map { time in
                Manifest.Arrangement(
                    at_ns: time * second, layout: .single,
                    layers: [TestManifest.layer("guest", (0, 0, 1280, 720))],
                    gains: ["mic": time == 0 ? -3 : nil])
            })
        if crop != nil {
            manifest.devices[0].format = .init(pixel: "mjpeg", width: 1920, height: 1080, rate: 30)
        }
        return try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
    }

    private static func cut(_ session: RecordedSession) -> Cut {
        func shot(_ frames: Range<Int64>, _ cameras: [String]) -> Cut.Shot {
            Cut.Shot(
                first: frames.lowerBound, end: frames.upperBound, cameras: cameras,
                layout: cameras.count > 1 ? .sideBySide : .single, reason: "test")
        }
        return Cut(
            rate: session.rate,
            shots: [
                shot(0..<150, ["host"]), shot(150..<300, ["host", "guest"]), shot(300..<600, ["guest"]),
            ])
    }

    /// The center of a face at a time in seconds, as a fraction of the upright frame's width: the host sits, the guest walks.
    private static func place(_ role: String, _ time: Double) -> Double {
        role == "host" ? 0.25 : 0.2 + 0.6 * abs((time / 8).truncatingRemainder(dividingBy: 2) - 1)
    }

    private static func analyses(size: Double = 0.1) -> [String: [AnalyzedFrame]] {
        func frames(_ role: String) -> [AnalyzedFrame] {
            (0..<100).compactMap { index in
                let time = Double(index) / 5
                guard
                    let box = FramePart(
                        x: place(role, time) - size / 2, y: 0.35, width: size, height: size * 1.8)
                else { return nil }
                let face = DetectedFace(id: 1, box: box, confidence: 0.9, activity: 0.3)
                return AnalyzedFrame(at_ns: Int64(index) * second / 5, faces: [face])
            }
        }
        return ["host": frames("host"), "guest": frames("guest")]
    }

    @Test(
        "in a portrait picture, each shot contains the faces of its cameras at every frame, and two cameras are stacked"
    )
    func portrait() throws {
        let session = try Self.session()
        let (framed, cut) = session.framed(
            Self.settings, Self.cut(session), size: Self.portrait, analyses: Self.analyses())
        #expect(framed.size == Self.portrait)
        #expect(cut == Self.cut(session))
        for frame in 0..<Int64(600) {
            let time = framed.rate.time(ofTick: frame)
            let layers = framed.layers(of: cut.shot(at: frame), at: time)
            #expect(layers.map(\.role) == cut.shot(at: frame).cameras)
            let places =
                layers.count == 1
                ? [PixelRectangle(x: 0, y: 0, width: 540, height: 960)]
                : [0, 480].map { PixelRectangle(x: 0, y: $0, width: 540, height: 480) }
            #expect(layers.map(\.rectangle) == places)
            for layer in layers {
                let crop = try #require(layer.crop)
                let face = Self.place(layer.role, Double(time.nanoseconds) / 1e9) * 1920
                #expect(
                    face - 96 >= Double(crop.x) && face + 96 <= Double(crop.x + crop.width),
                    "\(layer.role), frame \(frame): \(face) in \(crop)")
                // No pixel is enlarged by more than the limit, unless the camera has too few of them.
                #expect(crop.height >= min(1080, layer.rectangle.height / 2))
            }
        }
    }

    @Test("the mix stays the same, and the same analyses yield the same session")
    func mix() throws {
        let session = try Self.session()
        let first = session.framed(Self.settings, Self.cut(session), analyses: Self.analyses())
        let again = session.framed(Self.settings, Self.cut(session), analyses: Self.analyses())
        #expect(first.session == again.session)
        let gains = first.session.gains(of: "mic")
        #expect(gains.map(\.frame) == [0, 210])
        #expect(gains.map(\.decibels) == [-3, nil])
        #expect(first.session.hasAudio)
    }

    @Test("a recording without a program keeps its microphones")
    func withoutProgram() throws {
        var session = try Self.session()
        session.arrangements = []
        let framed = session.framed(Self.settings, Self.cut(session), analyses: Self.analyses()).session
        #expect(framed.gains(of: "mic").map(\.decibels) == [0])
    }

    @Test(
        "a face in a rotated camera, and in a track with a part of the camera's frame, is in the picture",
        arguments: [
            (rotation: 90, crop: nil), (180, nil),
            (0, PixelRectangle(x: 960, y: 0, width: 960, height: 1080)),
        ] as [(rotation: Int, crop: PixelRectangle?)])
    func orientation(rotation: Int, crop: PixelRectangle?) throws {
        let session = try Self.session(rotation: rotation, crop: crop)
        let (framed, cut) = session.framed(
            FramingSettings(mode: .people, maxEnlargement: 4), Self.cut(session),
            analyses: Self.analyses(size: 0.04))
        let layer = try #require(
            framed.layers(of: cut.shots[0], at: MediaTime(nanoseconds: 3 * Self.second)).first)
        let stored = try #require(session.angle("host")?.size(at: .zero))
        let part = try #require(layer.crop)
        let upright = FramePart(part, of: stored).turned(by: layer.rotation)
        #expect(upright.width < 0.9)
        #expect(upright.x < 0.2 && upright.x + upright.width > 0.3)
    }

    // MARK: Export

    @Test(
        "OpenTimelineIO has key frames from which each frame's visible part is interpolated within two pixels"
    )
    func openTimeline() throws {
        let session = try Self.session()
        let (framed, cut) = session.framed(
            Self.settings, Self.cut(session), size: Self.portrait, analyses: Self.analyses())
        let document = try #require(
            try JSONSerialization.jsonObject(with: EditFormat.otio.data(of: framed, cut: cut))
                as? [String: Any])
        let tracks = try #require((document["tracks"] as? [String: Any])?["children"] as? [[String: Any]])
        let clips = try #require(
            tracks.first { $0["name"] as? String == "Cut" }?["children"] as? [[String: Any]])
        let known = clips.map { ($0["metadata"] as? [String: Any])?["multicam"] as? [String: Any] }
        #expect(known[0]?["motion"] == nil, "the host sits")
        let keys = try #require(known[2]?["motion"] as? [[String: Any]]).map { key in
            (
                frame: (key["frame"] as? Int) ?? -1,
                x: ((key["source"] as? [String: Any])?["x"] as? Double) ?? -1
            )
        }
        #expect(keys.first?.frame == 0)
        #expect(keys.last?.frame == 299)
        #expect(keys.count < 150)
        for (one, other) in zip(keys, keys.dropFirst()) {
            for frame in one.frame..<other.frame {
                let share = Double(frame - one.frame) / Double(other.frame - one.frame)
                let layer = try #require(
                    framed.layers(of: cut.shots[2], at: framed.rate.time(ofTick: Int64(300 + frame))).first)
                let crop = try #require(layer.crop)
                #expect(abs(one.x + (other.x - one.x) * share - Double(crop.x)) <= 2.001)
            }
        }
        let effects = try #require(clips[2]["effects"] as? [[String: Any]])
        let text = String(decoding: try JSONSerialization.data(withJSONObject: effects), as: UTF8.self)
        #expect(text.contains("\"299\""))
    }

    @Test("FCPXML and MLT have key frames from the first to the last frame of a shot")
    func keyFrames() throws {
        let session = try Self.session()
        let (framed, cut) = session.framed(
            Self.settings, Self.cut(session), size: Self.portrait, analyses: Self.analyses())
        let final = String(decoding: EditFormat.fcpxml.data(of: framed, cut: cut), as: UTF8.self)
        #expect(final.contains(#"<param name="position">"#) && final.contains(#"<param name="left">"#))
        #expect(final.contains(#"curve="linear""#))
        let melt = String(decoding: EditFormat.mlt.data(of: framed, cut: cut), as: UTF8.self)
        let rectangles = melt.split(separator: "transition.rect\">0=").dropFirst().map {
            $0.prefix { $0 != "<" }
        }
        #expect(rectangles.contains { $0.contains(";299=") }, "for the guest's shot")
        #expect(rectangles.contains { $0.contains(";149=") }, "for the stacked shot")
        #expect(melt.contains(#"<property name="mlt_service">qtcrop</property>"#), "for the stacked shot")
    }

    @Test("a clip that begins with the whole frame in a landscape picture has key frames")
    func landscape() throws {
        let session = try Self.session()
        let cut = Cut(
            rate: session.rate,
            shots: [Cut.Shot(first: 0, end: 600, cameras: ["guest"], layout: .single, reason: "test")])
        // Nobody is visible during the first ten seconds.
        let late = Self.analyses(size: 0.05).mapValues { frames in
            frames.map { $0.at_ns < 10 * Self.second ? AnalyzedFrame(at_ns: $0.at_ns, faces: []) : $0 }
        }
        let (framed, placed) = session.framed(
            FramingSettings(mode: .people, maxEnlargement: 4), cut, analyses: late)
        #expect(framed.layers(of: placed.shots[0], at: .zero).first?.crop == nil)
        let final = String(decoding: EditFormat.fcpxml.data(of: framed, cut: placed), as: UTF8.self)
        #expect(final.contains(#"<param name="position">"#) && final.contains(#"<param name="left">"#))
        let otio = String(decoding: EditFormat.otio.data(of: framed, cut: placed), as: UTF8.self)
        #expect(otio.contains("\"Transform\""))
    }
}
