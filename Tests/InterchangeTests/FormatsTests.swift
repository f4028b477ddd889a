import Foundation
import FoundationXML
import Interchange
import Media
import Profiles
import SessionFolder
import Testing
import Timing

@Suite("A project for editors")
struct FormatsTests {
    private static let second: Int64 = 1_000_000_000

    /// A second of a desk with a face in its corner, at 29.97 frames per second.
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
                    at_ns: 0, layout: "pip",
                    layers: [
                        TestManifest.layer("desk", (0, 0, 1280, 720)),
                        TestManifest.layer("face", (940, 520, 320, 180), mirrored: true, filling: "fill"),
                    ], gains: ["host": -4.5])
            ], started: "2026-11-21T23:59:59.500500000+00:00")
        manifest.title = "Q & <A> \"x\"\u{7}"
        manifest.people = ["host": "Ada & Co"]
        manifest.marks = [Manifest.Mark(at_ns: 500_000_000, text: "<mark>\u{0}")]
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

    @Test("in FCPXML has exact times, relative paths, escaped names, and the inset's position and scale")
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

    @Test("in OpenTimelineIO has the inset's place in pixels, and as Resolve writes it")
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

    @Test("in MLT has the inset's place, levels, and files relative to the project")
    func melt() throws {
        let text = try Self.text(.mlt)
        #expect(text.contains(">940 520 320 180 1<") && text.contains(">0 0 1280 720 1<"))
        #expect(text.contains(#"<property name="level">-4.5</property>"#))
        #expect(text.contains("../cameras/a b&amp;c.mov") && text.contains(#"name="mirror">flip<"#))
    }

    @Test(
        "in MLT has each file in the list that Kdenlive and Shotcut show, with the version that Kdenlive asks for"
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

    @Test("in CMX 3600 has drop-frame labels that begin again at midnight, and only plain characters")
    func decisionList() throws {
        let text = try Self.text(.edl)
        #expect(text.contains("FCM: DROP FRAME"))
        let event = "001  DESK     V     C        23:59:59;17 00:00:00;17 23:59:59;17 00:00:00;17"
        #expect(text.contains(event), "\(text)")
        #expect(text.contains("* LOC: 00:00:00;01 GREEN   <mark>?"), "\(text)")
        #expect(text.utf8.allSatisfy { $0 < 127 })
    }

    @Test("of audio alone has the audio")
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
