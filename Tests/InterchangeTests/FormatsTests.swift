import Foundation
import FoundationXML
import MulticamContainers
import MulticamInterchange
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder
import MulticamTiming
import Testing

@Suite("Projects for video editors")
struct FormatsTests {
    private static let second: Int64 = 1_000_000_000

    /// A one-second recording of a desk with a face in the corner, at 29.97 fps.
    private static func session() throws -> RecordedSession {
        let end = FrameRate(30000, per: 1001).time(ofTick: 30).nanoseconds
        var manifest = TestManifest.make(
            duration: end,
            tracks: [
                TestManifest.camera("desk", rate: 30 / 1.001, duration: end),
                TestManifest.camera("face", file: "cameras/a b&c.mov", rate: 15, duration: end),
                TestManifest.microphone("host", duration: end),
                TestManifest.program(rate: 30 / 1.001, duration: end),
            ],
            arrangements: [
                Manifest.Arrangement(
                    at_ns: 0, layout: .pip,
                    layers: [
                        TestManifest.layer("desk", (0, 0, 1280, 720)),
                        TestManifest.layer("face", (940, 520, 320, 180), mirrored: true, fit: .cover),
                    ], gains: ["host": -4.5])
            ], started: "2026-11-21T23:59:59.500500000+00:00")
        manifest.title = "Q & <A> \"x\"\u{7}"
        manifest.people = ["host": "Ada & Co"]
        manifest.markers = [Manifest.Marker(at_ns: 500_000_000, text: "<mark>\u{0}")]
        manifest.gaps = [
            Gap(
                track: "face", from: MediaTime(nanoseconds: 200_000_000),
                to: MediaTime(nanoseconds: 400_000_000),
                cause: "unplugged")
        ]
        return try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
    }

    private static func text(_ format: EditFormat) throws -> String {
        let session = try session()
        return String(decoding: format.data(of: session, cut: .live(of: session)), as: UTF8.self)
    }

    @Test("FCPXML has exact times, relative paths, escaped names, and the inset's position and scale")
    func finalCut() throws {
        let text = try Self.text(.fcpxml)
        #expect(text.contains("\n<!DOCTYPE fcpxml>\n<fcpxml ") && text.contains(#"version="1.10""#))
        #expect(text.contains("Q &amp; &lt;A&gt; &quot;x&quot;?") && !text.contains("\u{7}"))
        #expect(text.contains(#"src="../cameras/a%20b&amp;c.mov""#))
        #expect(text.contains(#"frameDuration="1001/30000s""#) && text.contains(#"tcFormat="DF""#))
        #expect(text.contains(#"position="63.888889 -34.722222""#) && text.contains(#"scale="-0.25 0.25""#))
        #expect(text.contains(#"amount="-4.5dB""#) && text.contains("Ada &amp; Co (host)"))
        #expect(text.contains("gap: unplugged") && text.contains("&lt;mark&gt;?"))
    }

    @Test("OpenTimelineIO has the inset's position in pixels, and in Resolve's format")
    func openTimeline() throws {
        let text = try Self.text(.otio)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(document["OTIO_SCHEMA"] as? String == "Timeline.1")
        let tracks = try #require((document["tracks"] as? [String: Any])?["children"] as? [[String: Any]])
        #expect(tracks.map { $0["name"] as? String } == ["desk", "face", "Cut", "Cut 2", "Ada & Co (host)"])
        #expect(tracks.map { $0["enabled"] as? Bool } == [false, false, true, true, true])
        #expect(
            text.contains("0.359375") && text.contains("transformationFlipX") && text.contains(#""x" : 940"#))
    }

    @Test("MLT has the inset's position, levels, and file paths relative to the project")
    func melt() throws {
        let text = try Self.text(.mlt)
        #expect(text.contains(">940 520 320 180 1<") && text.contains(">0 0 1280 720 1<"))
        #expect(text.contains(#"<property name="level">-4.5</property>"#))
        #expect(text.contains("../cameras/a b&amp;c.mov") && text.contains(#"name="mirror">flip<"#))
    }

    @Test(
        "MLT lists each file in the bin of Kdenlive and Shotcut, with the version that Kdenlive requires"
    )
    func meltBin() throws {
        let document = try XMLDocument(xmlString: Self.text(.mlt))
        let root = try #require(document.rootElement())
        let bin = try #require(root.elements(forName: "playlist").first { $0.attribute("id") == "main_bin" })
        let files = root.elements(forName: "producer").compactMap { $0.attribute("id") }.filter {
            $0 != "black"
        }
        #expect(bin.elements(forName: "entry").map { $0.attribute("producer") } == files)
        #expect(bin.property("kdenlive:docproperties.version") == "1.04")
        let numbers = root.elements(forName: "producer").compactMap { $0.property("kdenlive:id") }
        #expect(Set(numbers).count == files.count && !numbers.isEmpty)
        let tracks = root.elements(forName: "tractor").flatMap { $0.elements(forName: "track") }
        #expect(
            tracks.map { $0.attribute("producer") } == [
                "black_track", "sound0", "angle0", "angle1", "cut0", "cut1",
            ])
    }

    @Test("CMX 3600 has drop-frame timecode that wraps at midnight, and only plain characters")
    func decisionList() throws {
        let text = try Self.text(.edl)
        #expect(text.contains("FCM: DROP FRAME"))
        let event = "001  DESK     V     C        23:59:59;17 00:00:00;17 23:59:59;17 00:00:00;17"
        #expect(text.contains(event), "\(text)")
        #expect(text.contains("* LOC: 00:00:00;01 GREEN   <mark>?"), "\(text)")
        #expect(text.utf8.allSatisfy { $0 < 127 })
    }

    @Test("CMX 3600 uses the timecode of a drop-frame file that begins after midnight as its source")
    func decisionListAfterMidnight() throws {
        let duration: Int64 = 6_006_000_000
        let parts = [
            Manifest.Part(file: "cameras/desk.mov", first_ns: 0),
            Manifest.Part(file: "cameras/desk-2.mov", first_ns: 4_004_000_000),
        ]
        let manifest = TestManifest.make(
            duration: duration,
            tracks: [TestManifest.camera("desk", rate: 30_000.0 / 1001, duration: duration, parts: parts)],
            started: "2026-11-30T23:59:58.000000000+01:00")
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let text = String(decoding: EditFormat.edl.data(of: session, cut: .none(of: session)), as: UTF8.self)
        // T0 is label 23:59:58;02. The timeline reaches 00:00:02;02 after 120 frames. A day has 2.6 frames more than
        // drop-frame labels, so the second file, whose time code counts from midnight of the clock, begins 3 labels
        // earlier.
        #expect(text.contains("23:59:58;02 00:00:02;02 23:59:58;02 00:00:02;02"), "\(text)")
        #expect(text.contains("00:00:01;29 00:00:03;29 00:00:02;02 00:00:04;02"), "\(text)")
        let code = session.timecode(
            of: nil, at: MediaTime(nanoseconds: 4_004_000_000), rate: FrameRate(30_000, per: 1001))
        #expect(code.firstFrame == 59)
    }

    @Test("CMX 3600 replaces line breaks in names, so that they can't create events")
    func oneLine() throws {
        let event = "001  AX       V     C        00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00"
        var camera = TestManifest.camera("desk", file: "cameras/a\n\(event)\r.mov", duration: Self.second)
        camera.role = "desk\u{2028}\(event)"
        let manifest = TestManifest.make(duration: Self.second, tracks: [camera])
        let session = try #require(RecordedSession(manifest, name: "n\n\(event)", isThere: { _ in true }))
        let text = String(decoding: EditFormat.edl.data(of: session, cut: .none(of: session)), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline)
        #expect(
            lines.filter { $0.hasPrefix("0") }.count == 1
                && lines.contains { $0.hasPrefix("* FROM CLIP NAME: a") })
    }

    @Test("an audio-only session is exported with its audio, except to EDL")
    func audioOnly() throws {
        let manifest = TestManifest.make(
            duration: Self.second, tracks: [TestManifest.microphone("host", duration: Self.second)])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        for format in EditFormat.allCases {
            let text = String(decoding: format.data(of: session, cut: .live(of: session)), as: UTF8.self)
            #expect(text.contains("host.wav") == (format != .edl))
        }
    }
}

extension XMLElement {
    fileprivate func attribute(_ name: String) -> String? { attribute(forName: name)?.stringValue }

    fileprivate func property(_ name: String) -> String? {
        elements(forName: "property").first { $0.attribute("name") == name }?.stringValue
    }
}
