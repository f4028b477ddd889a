import Foundation
import MulticamMedia
import Testing

@testable import MulticamSessionFolder
@testable import MulticamTiming

@Suite("Recovery")
struct RecoveryTests {
    private func time(_ seconds: Double) -> MediaTime {
        MediaTime(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    @Test(
        "if all tracks can be padded, the recording ends with the longest track, on the leading grid")
    func longest() throws {
        let end = try #require(
            CommonEnd(
                [.init(end: time(5), isEncoded: false), .init(end: time(5.21), isEncoded: false)],
                leading: FrameRate(30)))
        #expect(end.time == FrameRate(30).time(ofTick: 157))
        #expect(CommonEnd([.init(end: time(5.21), isEncoded: false)], leading: nil)?.time == time(5.21))
        #expect(CommonEnd([], leading: FrameRate(30)) == nil)
    }

    @Test("the recording ends with the shortest encoded track and contains all its frames")
    func shortest() throws {
        let rate = FrameRate(30000, per: 1001)
        for count in 1...200 as ClosedRange<Int64> {
            let encoded = rate.time(ofTick: count)
            let end = try #require(
                CommonEnd(
                    [
                        .init(end: encoded, isEncoded: true),
                        .init(end: time(Double(encoded.nanoseconds) / 1e9 + 0.7), isEncoded: false),
                    ],
                    leading: rate))
            #expect(rate.ticks(before: end.time) == count)
        }
    }

    @Test("an encoded track that ended long before does not shorten the others")
    func failedBefore() {
        let end = CommonEnd(
            [.init(end: time(2), isEncoded: true), .init(end: time(60), isEncoded: false)],
            leading: FrameRate(30))
        #expect(end?.time == time(60))
    }

    @Test("the recording is not shorter than a track that was stopped before the crash, on the leading grid")
    func endedBefore() {
        let rate = FrameRate(30, per: 1)
        let other = CommonEnd.Reach(end: time(5), isEncoded: true)
        #expect(CommonEnd([other], leading: rate, notBefore: time(5.21))?.time == rate.time(ofTick: 157))
        #expect(CommonEnd([other], leading: rate, notBefore: time(4))?.time == time(5))
        #expect(CommonEnd([], leading: rate, notBefore: time(5.21))?.time == rate.time(ofTick: 157))
        #expect(CommonEnd([], leading: nil, notBefore: time(5.21))?.time == time(5.21))
    }

    @Test("a track isn't missing anything after it was stopped")
    func missingUntilItsEnd() {
        var begun = manifest()
        begun.tracks[0].ended_ns = 2_000_000_000
        let events = RecordedEvents(
            Array(
                "{\"at_ns\":1500000000,\"cause\":\"disconnected\",\"event\":\"device-lost\",\"text\":\"x\",\"track\":\"desk\"}\n"
                    .utf8))
        let endings = begun.tracks.map {
            Manifest.RecoveredTrack(track: $0.name, cut_ns: 0, padded_ns: 0, text: "x")
        }
        let contents = zip([60, 240_000] as [Int64], endings).map { count, ending in
            RecoveredContent(
                written: count, duplicated: 0, holes: [], ending: ending, parts: [], isThere: true)
        }
        let recovered = begun.recovered(
            tracks: begun.tracks, contents: contents, end: time(5), events: events, version: "1.0.0")
        #expect(recovered.gaps == [Gap(track: "desk", from: time(1.5), to: time(2), cause: "disconnected")])
        #expect(recovered.tracks[0].duration_ns == 2_000_000_000)
        #expect(recovered.tracks[0].frames?.lost == [:])
    }

    @Test(
        "only complete lines of events are used",
        arguments: ["{\"event\":\"mark\",\"at", "\0\0\0\0\n\0\0", "{\"event\":3}\n", ""])
    func torn(tail: String) {
        let whole = """
            {"at_ns":0,"event":"started","folder":"/x","t0_monotonic_ns":5}
            {"at_ns":1000000000,"event":"mark","text":"here"}
            {"at_ns":1500000000,"cause":"bus","count":2,"event":"drop","track":"desk"}
            {"at_ns":1600000000,"cause":"bus","count":1,"event":"drop","track":"desk"}
            {"at_ns":2000000000,"cause":"unplugged","event":"device-lost","text":"x","track":"desk"}
            {"at_ns":2200000000,"event":"of another version"}
            {"at_ns":2300000000,"event":"device-lost","track":"desk"}
            {"at_ns":2500000000,"direction":"down","event":"governor","reason":"busy","step":"rate","text":"x"}
            {"at_ns":2600000000,"event":"split","files":["audio/host-2.wav","cameras/desk-2.mov"],"part":2}

            """
        let events = RecordedEvents(Array((whole + tail).utf8))
        #expect(events.validByteCount == whole.utf8.count)
        #expect(events.events.count == 7)
        #expect(events.markers.map(\.text) == ["here"])
        #expect(events.lost(of: "desk") == ["bus": 3])
        #expect(events.lost(of: "desk", until: time(1.55)) == ["bus": 2])
        #expect(events.governor.map(\.step) == ["rate"])
        #expect(
            events.gaps(until: time(3)) == [
                Gap(track: "desk", from: time(2), to: time(3), cause: "unplugged")
            ])
        #expect(events.start(ofPart: "audio/host-2.wav") == time(2.6))
        #expect(events.start(ofPart: "audio/other.wav") == nil)
    }

    @Test("motions of automatic framing are restored from events, but implausible ones are ignored")
    func motions() throws {
        func event(_ at: Int64, duration: Int64) -> String {
            """
            {"at_ns":\(at),"event":"framing","track":"face","motion":{"from_ns":\(at),"duration_ns":\(duration),"x":[0.5,0.1],\
            "y":[0.5],"height":[0.5],"min_height":0,"ratio":1.5,"bounds":{"x":0,"y":0,"width":1,"height":1}}}

            """
        }
        let events = RecordedEvents(
            Array((event(1, duration: 5) + event(2, duration: 0) + event(3, duration: 7)).utf8))
        #expect(events.framings.map(\.at_ns) == [1, 3])
        #expect(events.framings.map(\.motion.duration_ns) == [5, 7])
        #expect(events.framings.first?.role == "face" && events.arrangements.isEmpty)
    }

    @Test("changes are restored from events, but implausible arrangements are ignored")
    func changes() {
        func event(_ at: Int64, width: Int) -> String {
            """
            {"at_ns":\(at),"event":"change","changes":["swap"],"text":"x","layout":"pip","shown":["face"],"mix":[],"arrangement":\
            {"at_ns":\(at),"layout":"pip","gains":{"host":null,"guest":-6},"layers":[{"role":"face","x":0,"y":0,\
            "width":\(width),"height":360,"crop":{"x":0,"y":0,"width":0.5,"height":1},"rotation":90,"mirrored":true,\
            "fit":"cover","border":2}]}}

            """
        }
        let lines =
            event(1, width: 640) + event(2, width: .max) + event(3, width: 320)
            + "{\"at_ns\":4,\"event\":\"change\",\"changes\":[\"set desk brightness=3\"],\"text\":\"x\"}\n"
        let events = RecordedEvents(Array(lines.utf8))
        #expect(events.changes.map(\.at_ns) == [1, 3, 4])
        #expect(events.changes.map(\.shown) == [["face"], ["face"], nil])
        #expect(events.arrangements.map(\.layers.first?.width) == [640, 320])
        let gains = events.arrangements.first?.gains ?? [:]
        #expect(gains.keys.sorted() == ["guest", "host"] && gains.compactMapValues { $0 } == ["guest": -6])
        #expect(events.arrangements.first?.layers.first?.crop.width == 0.5)
    }

    @Test("frames lost in a hardware encoder are counted, with the time of the switch to x264")
    func encoder() {
        let events = RecordedEvents(
            Array(
                """
                {"at_ns":700000000,"device":"/dev/video11","event":"encoder","from":"h264_v4l2m2m","lost":3,\
                "reason":"it hangs","text":"x","to":"libx264","track":"desk"}

                """.utf8))
        let planned = Manifest.Encoder(name: "h264_v4l2m2m", device: "/dev/video11")
        let encoder = events.encoder(planned, of: "desk")
        #expect(encoder.until_ns == 700_000_000 && encoder.reason == "it hangs")
        #expect(events.encoder(planned, of: "face") == planned)
        #expect(events.lost(of: "desk") == ["encoder": 3])
        #expect(events.lost(of: "face").isEmpty)
    }

    private func manifest() -> Manifest {
        Manifest(
            multicam: "0.0.0", profile: "test", started: "2026-11-21T14:23:10.000000000+01:00",
            t0_monotonic_ns: 0, duration_ns: 0, alignment_delay_ns: 100_000_000, outcome: .recording,
            machine: Manifest.Machine(host: "h", system: "s", processors: 1),
            devices: [
                Manifest.Device(
                    role: "desk", kind: "camera", identity: "i", name: "n",
                    format: Manifest.Format(pixel: "mjpeg", width: 640, height: 480, rate: 30),
                    clock: Manifest.Clock(DeviceClock(nominalSecondsPerCount: 1 / 30.0)))
            ],
            tracks: [
                Manifest.Track(
                    name: "desk", kind: "camera", file: "cameras/desk.mov", stream: 0, codec: "mjpeg",
                    rate: 30),
                Manifest.Track(
                    name: "host", kind: "microphone", file: "audio/host.wav", stream: 0, codec: "pcm_s24le",
                    rate: nil),
            ], cost: nil, governor: [], markers: [], gaps: [])
    }

    @Test(
        "unwritten data counts as lost to the disk: a gap, lost frames, and silence that is counted once"
    )
    func lostToTheDisk() throws {
        let events = RecordedEvents(
            Array(
                """
                {"at_ns":500000000,"event":"clock","ppm":12.5,"residual_us":40,"state":"locked","track":"desk"}
                {"at_ns":4500000000,"cause":"disconnected","event":"device-lost","text":"x","track":"host"}

                """.utf8))
        let begun = manifest()
        let endings = [
            Manifest.RecoveredTrack(track: "desk", cut_ns: 0, padded_ns: 200_000_000, text: "x"),
            Manifest.RecoveredTrack(track: "host", cut_ns: 0, padded_ns: 250_000_000, text: "y"),
        ]
        let hole = time(1)..<time(32 / 30.0)
        let contents = [
            RecoveredContent(
                written: 148, duplicated: 6, holes: [hole], ending: endings[0], parts: [], isThere: true),
            RecoveredContent(
                written: 240_000, duplicated: 0, holes: [], ending: endings[1], parts: [], isThere: true),
        ]
        let manifest = begun.recovered(
            tracks: begun.tracks, contents: contents, end: time(5), events: events, version: "1.0.0")
        #expect(manifest.outcome == .recovered && manifest.recovery?.tracks == endings)
        let gaps = [
            Gap(track: "host", from: time(4.5), to: time(5), cause: "disconnected"),
            Gap(track: "desk", from: hole.lowerBound, to: hole.upperBound, cause: "disk"),
            Gap(track: "desk", from: time(4.8), to: time(5), cause: "disk"),
            Gap(track: "host", from: time(4.75), to: time(5), cause: "disk"),
        ]
        #expect(manifest.gaps == gaps)
        #expect(manifest.tracks[0].frames?.lost == ["disk": 8])
        #expect(manifest.tracks[0].frames?.captured == 142)
        #expect(manifest.tracks[1].samples?.silence == 24_000)
        #expect(manifest.devices[0].clock.ppm == 12.5 && manifest.devices[0].clock.locked)
        #expect(manifest.syncReport(events).contains("the recording was interrupted"))
    }

    @Test("an interrupted recovery is continued if its state is plausible")
    func begun() throws {
        let ending = Manifest.RecoveredTrack(track: "desk", cut_ns: 3, padded_ns: 4, text: "x")
        let begun = manifest().beginningRecovery(until: time(5), endings: [ending], version: "1.0.0")
        func goesOn(_ manifest: Manifest) -> Manifest.Recovery? {
            manifest.unfinishedRecovery(near: time(5), until: time(6))
        }
        #expect(goesOn(begun)?.tracks == [ending] && begun.duration_ns == 5_000_000_000)
        #expect(goesOn(manifest()) == nil)
        let whole: Int64 = 5_000_000_000
        for (duration, padded) in [
            (0, 4), (Int64.max, 4), (whole, -1), (whole, Int64.max), (whole / 2, 4), (2 * whole, 4),
        ] {
            var damaged = begun
            damaged.duration_ns = duration
            damaged.recovery?.tracks[0].padded_ns = padded
            #expect(goesOn(damaged) == nil)
        }
    }

    @Test("implausible clock readings are ignored")
    func clocks() {
        let events = RecordedEvents(
            Array(
                """
                {"at_ns":5,"event":"clock","ppm":1e300,"residual_us":40,"state":"locked","track":"desk"}
                {"at_ns":5,"event":"clock","ppm":1,"residual_us":-3,"state":"locked","track":"desk"}
                {"at_ns":-5,"event":"clock","ppm":3,"residual_us":4,"restarts":-9,"state":"lost","track":"desk"}

                """.utf8))
        #expect(events.clockReadings.count == 1)
        let clock = Manifest.Clock(DeviceClock(nominalSecondsPerCount: 1))
        #expect(events.clock(clock, of: "desk").ppm == 3 && events.clock(clock, of: "desk").restarts == 0)
        #expect(events.clock(clock, of: "face") == clock)
        #expect(!manifest().syncReport(events).isEmpty)
    }
}
