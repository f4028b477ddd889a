import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup

/// Records a profile of synthetic devices in simulated time, as fast as the CPU allows.
///
///     simulate PROFILE FOLDER NAME SECONDS
///
/// Prints the session folder's path. This program is used by `tools/ten-hours`, because `multicam record`
/// runs only in real time.
@main
struct Simulate {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 5, let seconds = Double(words[4]), seconds > 0 else {
            print("usage: simulate PROFILE FOLDER NAME SECONDS")
            exit(2)
        }
        let setup = try SessionSetup(SessionConfiguration(profile: words[1]))
        let session = MulticamSession(
            setup,
            RecordingOptions(
                parentFolder: words[2], name: words[3], duration: .seconds(rounding: seconds),
                version: MulticamVersion.current),
            clock: SimulatedClock())
        // The main thread waits here. In an asynchronous program, it would exit, and Valgrind would crash.
        let outcome = ConditionLock<Result<String, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                let folder = try await session.record().folder
                outcome.withLock { $0 = .success(folder) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            ended.signal()
        }
        ended.wait()
        if let folder = try outcome.withLock({ $0 })?.get() { print(folder) }
    }
}
