import Foundation
import MulticamKit

/// Opens sessions and drops, cancels, stops, or closes them at random, and checks that they leave nothing behind.
struct RandomSessions {
    /// Threads and descriptors of this process (proc(5)).
    private struct Usage: CustomStringConvertible, Equatable {
        let threads: Int
        let descriptors: Int

        init() throws {
            threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }

        var description: String { "\(threads) threads, \(descriptors) descriptors" }

        /// Whether nothing is left behind. The pools of Swift and of the C library may add two threads.
        func isCleared(since before: Usage) -> Bool {
            threads <= before.threads + 2 && descriptors <= before.descriptors
        }
    }

    private struct Leftover: Error, CustomStringConvertible {
        let description: String
    }

    let folder: String
    private let configuration = SessionConfiguration(
        profile: Profile(
            name: "random", cameras: [CameraRole(role: "a", device: "virtual:clap?size=160x120")],
            microphones: [MicrophoneRole(role: "m", device: "virtual:tone")],
            tracks: TrackSettings(cameras: .encode, microphones: .wav)))

    /// Runs sessions one after the other, and prints the outcome.
    ///
    /// - Parameter count: Number of sessions.
    /// - Throws: An error if a session fails in an unexpected way, or if threads or descriptors are left.
    func run(count: Int) async throws {
        for kind in 0..<7 { try await session(kind) }
        let before = try await settled(nil)
        for _ in 0..<count { try await session(Int.random(in: 0..<7)) }
        let after = try await settled(before)
        print("sessions: \(count), before: \(before), after: \(after)")
        guard after.isCleared(since: before) else {
            throw Leftover(description: "sessions left something behind: \(before) before, \(after) after")
        }
    }

    /// Waits until nothing of earlier sessions is left, or, without a reading to compare with, until the reading no longer
    /// changes; at most 30 s.
    private func settled(_ before: Usage?) async throws -> Usage {
        var last = try Usage()
        for _ in 0..<30 {
            try await Task.sleep(for: .seconds(1))
            let now = try Usage()
            if before.map(now.isCleared) ?? (now == last) { return now }
            last = now
        }
        return last
    }

    private func pause() async throws { try await Task.sleep(for: .milliseconds(Int.random(in: 0...250))) }

    private func session(_ kind: Int) async throws {
        let session = try await MulticamSession(configuration, on: .unlimited)
        switch kind {
        case 0: break
        case 1:
            try await session.standBy()
            try await pause()
        case 2:
            try await session.standBy()
            _ = try await session.record(in: folder, duration: .milliseconds(100))
            await session.close()
        case 3:
            let task = Task { try await session.record(in: folder) }
            try await pause()
            task.cancel()
            try await allowingStop { _ = try await task.value }
        case 4:
            let tap = FrameTap(role: "a", format: .asCaptured) { _ in }
            try session.attach(tap)
            try await allowingStop { _ = try await session.startRecording(in: folder) }
            try await pause()
            session.detach(tap)
            await session.close(stopsRecording: true)
        case 5:
            let task = Task { try await session.run() }
            try await pause()
            task.cancel()
            try await allowingStop { try await task.value }
        default:
            async let first = session.record(in: folder, duration: .milliseconds(200))
            async let second = session.record(in: folder, duration: .milliseconds(200))
            var refusals = 0
            do { _ = try await first } catch RecordingError.busy, RecordingError.ended { refusals += 1 }
            do { _ = try await second } catch RecordingError.busy, RecordingError.ended { refusals += 1 }
            guard refusals == 1 else {
                throw Leftover(description: "\(refusals) of two simultaneous recordings were refused")
            }
        }
    }

    /// Runs `body`, which may be stopped before its devices are ready.
    private func allowingStop(_ body: () async throws -> Void) async throws {
        do { try await body() } catch RecordingError.stopped { return }
    }
}
