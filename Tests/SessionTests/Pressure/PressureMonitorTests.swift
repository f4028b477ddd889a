import Foundation
import MulticamContainers
import MulticamMedia
import MulticamMonitoring
import MulticamTestDisks
import Testing

@testable import MulticamEncoders
@testable import MulticamSession
@testable import MulticamSessionFolder
@testable import MulticamWriters

@Suite("system pressure during a session")
struct PressureMonitorTests {
    /// A real-time clock that changes only when it is set. A thread's first sleep returns at once and ends
    /// the thread.
    private final class StoppedClock: SteppingClock {
        private let time = ConditionLock(ClockTime(nanoseconds: 0))

        var now: ClockTime { time.withLock { $0 } }
        var isRealTime: Bool { true }
        func set(second: Int64) { time.withLock { $0 = ClockTime(nanoseconds: second * 1_000_000_000) } }
        func date(of instant: ClockTime) -> Date { Date(timeIntervalSince1970: 1_767_225_600) }
        func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool { false }
        func startThread(
            named name: String, _ body: sending @escaping () -> Void
        ) throws(ThreadError) -> MediaThread {
            let thread = MediaThread.startWhenPossible(name: name, body)
            thread.join()
            return thread
        }
        func hold() {}
        func release() {}
    }

    private struct CalmHost: HostReading {
        func read(folder: String, at time: ClockTime) -> HostState { HostState() }
    }

    /// An encoder that blocks on its first frame until the gate is opened.
    private final class StuckEncoder: VideoEncoding {
        let parameters: StreamParameters
        private let gate: ConditionLock<Bool>

        init(_ parameters: StreamParameters, gate: ConditionLock<Bool>) {
            self.parameters = parameters
            self.gate = gate
        }

        func encode(_ layers: [FrameLayer], tick: Int64) -> EncodedFrames { repeatLast(tick: tick) }
        func repeatLast(tick: Int64) -> EncodedFrames {
            gate.wait { $0 ? true : nil }
            return EncodedFrames(packets: [])
        }
        func requestKeyFrame() {}
        func changePreset(to preset: VideoEncodingSettings.Preset) -> [EncodedPacket] { [] }
        func finish(unless isAbandoned: () -> Bool) -> [EncodedPacket] { [] }
    }

    @Test("a blocked encoder is a critical factor; the level falls after it continues")
    func stuckEncoder() throws {
        let disk = try TestDisk()
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 30, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))
        let writer = try MovieWriter(
            [disk.disk], relativePath: "program.mov",
            streams: [.video(parameters, rotation: .none, name: "program")],
            startedAt: Date(timeIntervalSince1970: 1_767_225_600))
        let gate = ConditionLock(false)
        let worker = VideoEncoderWorker(
            name: "program", encoder: StuckEncoder(parameters, gate: gate),
            another: { () throws(EncodingError) in Carried(StuckEncoder(parameters, gate: gate)) },
            to: TrackSink(writer: writer, stream: 0), waitsForRoom: false)
        let outputs = SessionOutputs(disks: [disk.disk], writers: ["program.mov": writer], microphones: [])
        outputs.program = ProgramTrack(rate: FrameRate(30), aligners: [], layers: [], encoder: worker)
        for tick in Int64(0)..<30 { worker.repeatLast(tick: tick, asKey: false) }

        let clock = StoppedClock()
        let watch = PressureMonitor(
            CalmHost(), clock: clock, folder: disk.path, frameInterval: FrameRate(30).interval)
        let risen = try #require(watch.update(with: outputs, at: .zero))
        guard case .pressure(let change) = risen.content else {
            Issue.record("\(risen)")
            return
        }
        #expect(change.level == .critical && change.was == .nominal)
        // The encoder may have received the first frame already.
        let text = watch.current?.factors.first?.text ?? ""
        #expect(
            text.contains("the encoder of program is 29 ") || text.contains("the encoder of program is 30 "))

        gate.broadcast { $0 = true }
        worker.finish()
        worker.join()
        var events: [SessionEvent] = []
        for second in Int64(1)...10 {
            clock.set(second: second)
            events += [watch.update(with: outputs, at: MediaTime(nanoseconds: second * 1_000_000_000))]
                .compactMap(
                    \.self)
        }
        let levels = events.compactMap { event -> PressureLevel? in
            guard case .pressure(let change) = event.content else { return nil }
            return change.level
        }
        #expect(levels == [.nominal])
        #expect(events.first?.at == MediaTime(nanoseconds: 9_000_000_000))
        // The host was read only once, so its readings are outdated.
        #expect(watch.current?.missing.map(\.source) == [.all])
        let summary = try #require(watch.history.summary)
        #expect(summary.peak == .critical && summary.factors.map(\.what) == ["encoder"])
        _ = writer.join()
    }
}
