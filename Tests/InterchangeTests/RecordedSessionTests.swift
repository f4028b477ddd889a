import Foundation
import MulticamContainers
import MulticamInterchange
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder
import MulticamTiming
import Testing

@Suite("Export of a recorded session")
struct RecordedSessionTests {
    private let second: Int64 = 1_000_000_000

    @Test("a camera's parts are in order and end at the next one, including parts of a restarted track")
    func parts() throws {
        let manifest = TestManifest.make(
            duration: 10 * second,
            tracks: [
                TestManifest.camera(
                    "desk", duration: 6 * second,
                    parts: [
                        Manifest.Part(
                            file: "cameras/desk-2.mov", first_ns: 4 * second, width: 320, height: 180)
                    ]),
                TestManifest.camera("desk", name: "desk.2", first: 8 * second, duration: 2 * second),
            ])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let desk = try #require(session.angle("desk"))
        #expect(desk.parts.map(\.file) == ["cameras/desk.mov", "cameras/desk-2.mov", "cameras/desk.2.mov"])
        #expect(desk.parts.map { $0.from.nanoseconds / second } == [0, 4, 8])
        #expect(desk.parts.map { $0.to.nanoseconds / second } == [4, 6, 10])
        #expect(desk.part(at: MediaTime(nanoseconds: 7 * second)) == nil)
        #expect(desk.size(at: MediaTime(nanoseconds: 5 * second)) == FrameSize(width: 320, height: 180))
    }

    @Test("files that are missing or outside the folder are excluded and reported")
    func missing() throws {
        let manifest = TestManifest.make(
            duration: second,
            tracks: [
                TestManifest.camera("desk", duration: second),
                TestManifest.camera("face", file: "../face.mov", duration: second),
                TestManifest.microphone("host", duration: second),
            ])
        let session = try #require(
            RecordedSession(manifest, name: "n", isThere: { $0 != "audio/host.wav" }))
        #expect(session.angles.map(\.role) == ["desk"])
        #expect(session.microphones.isEmpty)
        #expect(
            session.problems == [
                "../face.mov, audio/host.wav are missing. The output doesn't contain these files."
            ])
        #expect(RecordedSession(manifest, name: "n", isThere: { _ in false }) == nil)
    }

    @Test("a copied H.264 track starts after the preceding key frame, which its file hides")
    func copiedStream() throws {
        let manifest = TestManifest.make(
            duration: 10 * second,
            tracks: [
                TestManifest.camera("desk", first: -300_000_000, duration: 10 * second, variableRate: true),
                TestManifest.camera("face", first: 3_700_000_000, duration: 6 * second, variableRate: true),
            ])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        #expect(session.angles.map { $0.parts[0].from.nanoseconds } == [0, 4 * second])
        #expect(session.angles.allSatisfy { !$0.isOnGrid })
    }

    @Test("the program replaces cameras without tracks")
    func programOnly() throws {
        let manifest = TestManifest.make(
            duration: 2_002_000_000,
            tracks: [TestManifest.program(rate: 30 / 1.001, duration: 2_002_000_000)],
            arrangements: [
                Manifest.Arrangement(
                    at_ns: 0, layout: .single, layers: [TestManifest.layer("desk", (0, 0, 1280, 720))],
                    gains: [:])
            ])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        #expect(session.angles.map(\.role) == ["program"])
        #expect(session.rate == FrameRate(30000, per: 1001) && session.frameCount == 60)
        #expect(Cut.live(of: session).shots.map(\.cameras) == [["program"]])
    }

    @Test("a manifest with an unknown layout, fit, or rotation is refused")
    func unknownWords() throws {
        let manifest = TestManifest.make(
            duration: second, tracks: [TestManifest.program(rate: 30, duration: second)],
            arrangements: [
                Manifest.Arrangement(
                    at_ns: 0, layout: .pip,
                    layers: [TestManifest.layer("desk", (0, 0, 1280, 720), rotation: .quarter)], gains: [:])
            ])
        let text = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
        #expect(try Manifest(reading: Array(text.utf8)) == manifest)
        for (word, other) in [
            ("\"pip\"", "\"circle\""), ("\"contain\"", "\"stretch\""), ("\"rotation\":90", "\"rotation\":45"),
        ] {
            #expect(text.contains(word))
            let changed = text.replacingOccurrences(of: word, with: other)
            #expect(throws: ManifestFault.self, "\(other)") { try Manifest(reading: Array(changed.utf8)) }
        }
    }

    @Test("the timecode of T0 is local time, with drop-frame counting")
    func timecode() throws {
        let manifest = TestManifest.make(
            duration: second, tracks: [TestManifest.camera("desk", duration: second)],
            started: "2026-11-21T00:01:00.060000000+05:30")
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        #expect(session.timecode(at: FrameRate(25)).firstFrame == 1501)
        let drop = session.timecode(at: FrameRate(30000, per: 1001))
        #expect(drop.firstFrame == 1800 && drop.isDropFrame)
    }

    @Test("a microphone's gain changes are listed by frame, without redundant ones")
    func gains() throws {
        func mix(_ at: Int64, _ gain: Double?) -> Manifest.Arrangement {
            Manifest.Arrangement(at_ns: at, layout: .single, layers: [], gains: ["host": gain])
        }
        let manifest = TestManifest.make(
            duration: 10 * second,
            tracks: [
                TestManifest.camera("desk", duration: 10 * second),
                TestManifest.program(rate: 30, duration: 10 * second),
            ], arrangements: [mix(0, 3), mix(second, 3), mix(2 * second, nil), mix(20 * second, 0)])
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        let gains = session.gains(of: "host")
        #expect(gains.map(\.frame) == [0, 60] && gains.map(\.decibels) == [3, nil])
    }
}
