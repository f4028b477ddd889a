import CConfinement
import Foundation
import Glibc
import Testing

@testable import ControlRoom

@Suite("What the web process gives up")
struct ConfinementTests {
    @Test("files but the system's, all writing and all other ports, for good")
    func files() async throws {
        guard landlock_version() > 0 else { return }
        await #expect(processExitsWith: .success) {
            let file = NSTemporaryDirectory() + "confined-\(getpid())"
            close(open(file, O_CREAT | O_WRONLY, 0o600))
            #expect(Confinement.ofFiles(readable: [], port: 0) == nil)
            #expect(open("/etc/passwd", O_RDONLY) >= 0, "the system's files can be read")
            #expect(open(file, O_RDONLY) < 0 && errno == EACCES, "a user's file cannot")
            #expect(open(file, O_WRONLY) < 0 && errno == EACCES)
            #expect(open(file + "-2", O_CREAT | O_WRONLY, 0o600) < 0 && errno == EACCES)
            #expect(unlink(file) < 0 && errno == EACCES)
            #expect(open("/etc/passwd", O_WRONLY) < 0)
            #expect(open("/proc/1/environ", O_RDONLY) < 0)
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            #expect(execv("/bin/true", &words) < 0 && errno == EACCES)
        }
    }

    @Test("programs, connections, signals and changes of files, for all threads, and goes on working")
    func calls() async throws {
        await #expect(processExitsWith: .success) {
            #expect(Confinement.ofCalls() == nil)
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            #expect(execv("/bin/true", &words) < 0 && errno == EPERM)
            #expect(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) < 0 && errno == EPERM)
            #expect(socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) < 0 && errno == EPERM)
            #expect(kill(getppid(), 0) < 0 && errno == EPERM)
            #expect(unlink("/nonexistent") < 0 && errno == EPERM)
            // Threads, files that are open and memory are as before.
            let thread = Thread { _ = Data(count: 1 << 20) }
            thread.start()
            #expect(FileManager.default.contents(atPath: "/etc/passwd")?.isEmpty == false)
            #expect(Data(count: 1 << 24).count == 1 << 24)
        }
    }
}
