import MulticamMedia
import MulticamPlan
import MulticamProfiles
import Testing

@testable import MulticamSession
@testable import MulticamSessionFolder

@Suite("Times of changes and motions of the program")
struct ChangeDirectorTests {
    private let start = ClockTime(nanoseconds: 1_000_000_000_000)

    /// The plan of a recording whose only camera is framed automatically.
    private func plan() throws -> SessionPlan {
        let text = """
            cameras: { desk: { device: "virtual:clap", size: 1280x720, rate: 30, framing: people } }
            microphones: { host: { device: default } }
            program: { size: 1280x720, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
            tracks: { cameras: encode, microphones: wav }
            """
        let camera = CaptureDevice(
            mediaType: .video, deviceType: .virtual, identity: DeviceIdentity(name: "clap"), name: "clap",
            node: "", selector: "virtual:clap")
        let microphone = CaptureDevice(
            mediaType: .audio, deviceType: .virtual, identity: DeviceIdentity(name: "tone"), name: "tone",
            node: "", selector: "default")
        return try SessionPlan(
            profile: Profile(yaml: Array(text.utf8), file: "test.yaml"),
            devices: [
                "desk": PlannedDevice(
                    selector: "virtual:clap", device: camera,
                    offers: .any(pixel: nil, size: nil, rate: nil)),
                "host": PlannedDevice(
                    selector: "default", device: microphone, offers: .any(pixel: nil, size: nil, rate: nil)),
            ])
    }

    /// Requests a motion of the camera (`height`), or mirrors it, at a tick.
    private func request(
        _ director: ChangeDirector, _ running: inout RunningPlan, atTick tick: Int64, height: Double?
    ) throws {
        let time = FrameRate(30).time(ofTick: tick)
        if let height {
            let motion = FramingMotion(
                from: start.nanoseconds + time.nanoseconds, duration: .seconds(1), x: .init(constant: 0.5),
                y: .init(constant: 0.5), height: .init(constant: height), ratio: 16.0 / 9, bounds: .whole)
            let isAccepted = running.setMotion(motion, of: "desk")
            #expect(isAccepted)
        } else {
            _ = try running.apply(try #require(try SessionChange(words: ["mirror", "desk", "on"])))
        }
        var request = SessionControls.PlanRequest(
            plan: running.plan, words: height == nil ? ["mirror desk on"] : [], orders: [], cost: nil,
            reductions: [], at: start + Nanoseconds(time.nanoseconds), decided: nil)
        if height != nil { request.framedRole = "desk" }
        let position = TimelinePosition(time: time, programTick: tick, audioSample: 0)
        _ = director.handle(request, at: position) { _, _, _ in }
    }

    private let later = MediaTime(nanoseconds: 60_000_000_000)

    /// The program's content at each time according to the events, as after a recovery.
    private func recovered(_ events: [SessionEvent], _ director: ChangeDirector) throws -> [Manifest
        .Arrangement]
    {
        let lines = events.map { $0.line() + "\n" }.joined()
        let read = RecordedEvents(Array(lines.utf8))
        return Manifest.Arrangement.framed(
            director.arrangements(before: .zero) + read.arrangements, read.framings)
    }

    @Test("a change on the tick of a motion replaces it, and a recovery yields the same program")
    func sameTick() throws {
        var running = RunningPlan(try plan())
        let director = ChangeDirector(start: start, plan: running.plan)
        try request(director, &running, atTick: 30, height: 0.5)
        try request(director, &running, atTick: 30, height: nil)
        let events = director.dequeueEvents(before: later)
        #expect(events.map(\.name) == [.change])
        let recorded = Manifest.Arrangement.framed(
            director.arrangements(before: later), director.framings(before: later))
        #expect(recorded.count == 2)
        #expect(recorded.last?.layers.first?.mirrored == true)
        #expect(recorded.last?.layers.first?.motion?.height.place(at: 1) == 0.5)
        #expect(try recovered(events, director) == recorded)
    }

    @Test("a motion on the tick of an earlier change applies to the changed program")
    func motionAfterChange() throws {
        var running = RunningPlan(try plan())
        let director = ChangeDirector(start: start, plan: running.plan)
        try request(director, &running, atTick: 30, height: nil)
        try request(director, &running, atTick: 30, height: 0.5)
        let events = director.dequeueEvents(before: later)
        #expect(events.map(\.name) == [.change, .framing])
        let recorded = Manifest.Arrangement.framed(
            director.arrangements(before: later), director.framings(before: later))
        #expect(recorded.count == 2)
        #expect(recorded.last?.layers.first?.mirrored == true)
        #expect(recorded.last?.layers.first?.motion?.height.place(at: 1) == 0.5)
        #expect(try recovered(events, director) == recorded)
    }

    @Test("events of motions and changes are in the order of their times")
    func order() throws {
        var running = RunningPlan(try plan())
        let director = ChangeDirector(start: start, plan: running.plan)
        try request(director, &running, atTick: 10, height: 0.8)
        try request(director, &running, atTick: 20, height: nil)
        try request(director, &running, atTick: 30, height: 0.6)
        let events = director.dequeueEvents(before: later)
        #expect(events.map(\.name) == [.framing, .change, .framing])
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.at < $1.at })
        #expect(
            try recovered(events, director)
                == Manifest.Arrangement.framed(
                    director.arrangements(before: later), director.framings(before: later)))
        #expect(director.arrangements(before: later).count == 2, "motions repeat no layers")
    }
}
