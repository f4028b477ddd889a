import CMulticamConfinement
import Foundation
import Glibc
import MulticamConfinement
import MulticamSystem
import Testing

@testable import MulticamControlRoom

@Suite("Confinement of the web process")
struct ConfinementTests {
    @Test("permanently denies access to user files, all writing, and all other ports")
    func files() async throws {
        guard landlock_version() > 0 else { return }
        await #expect(processExitsWith: .success) {
            let file = NSTemporaryDirectory() + "confined-\(getpid())"
            close(open(file, O_CREAT | O_WRONLY, 0o600))
            #expect(Confinement.restrictFiles(readable: [], port: 0) == nil)
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

    @Test("restricts every thread of the process that finds faces and codes")
    func vision() async throws {
        guard landlock_version() > 0 else { return }
        let program = try #require(ProgramPath.sibling("multicam-vision"))
        let path = "/tmp/vision-\(getpid())"
        let listener = try listeningSocket(at: path)
        defer {
            close(listener)
            unlink(path)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--socket", path]
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        let hello = Array(#"{"type":"hello"}"#.utf8)
        let message = Array("mcm1".utf8) + [UInt8(hello.count), 0, 0, 0, 0, 0, 0, 0] + hello
        #expect(message.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) } == message.count)
        // The first report is written after the process has been restricted.
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        let tasks = "/proc/\(process.processIdentifier)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        #expect(threads.count >= 3)
        for thread in threads {
            let status = try String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            #expect(status.contains("Seccomp:\t2"), "\(thread)")
        }
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        // The process reports threads that existed before the restriction of files, which doesn't apply to them.
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(text.isEmpty, "\(String(decoding: text, as: UTF8.self))")
    }

    private func listeningSocket(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        try #require(isBound && listen(listener, 1) == 0)
        return listener
    }

    @Test("reports threads that existed before the restriction of files")
    func earlierThreads() async throws {
        guard landlock_version() > 0 else { return }
        await #expect(processExitsWith: .success) {
            let thread = Thread { sleep(60) }
            thread.start()
            let reasons = Confinement.restrictFilesAndPrepareReserve()
            #expect(reasons.count == 1 && reasons[0].contains("had started earlier"))
        }
    }

    @Test("denies programs, connections, signals, and file changes to all threads of a working process")
    func calls() async throws {
        await #expect(processExitsWith: .success) {
            let file = NSTemporaryDirectory() + "kept-\(getpid())"
            let kept = open(file, O_CREAT | O_RDWR, 0o600)
            #expect(write(kept, "kept", 4) == 4)
            let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #expect(Confinement.restrictSystemCalls() == nil)
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            #expect(execv("/bin/true", &words) < 0 && errno == EPERM)
            #expect(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) < 0 && errno == EPERM)
            #expect(socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) < 0 && errno == EPERM)
            #expect(kill(getppid(), 0) < 0 && errno == EPERM)
            #expect(unlink("/nonexistent") < 0 && errno == EPERM)
            // A file cannot be truncated while it is opened.
            for flags in [O_TRUNC, O_CREAT, O_WRONLY, O_RDWR] {
                #expect(open(file, flags | O_CLOEXEC, 0o600) < 0 && errno == EPERM)
            }
            let again = open(file, O_RDONLY | O_CLOEXEC)
            #expect(again >= 0 && lseek(again, 0, SEEK_END) == 4)
            // Signals can't be sent by kill(2), or to a descriptor's owner (F_SETOWN, F_SETSIG).
            #expect(fcntl(kept, 8, getppid()) < 0 && fcntl(kept, 10, SIGTERM) < 0)
            #expect(fcntl(kept, F_SETFL, O_NONBLOCK) == 0 && fcntl(kept, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(kept, F_DUPFD, 3) >= 0)
            // Sending can't open a connection, neither with an address nor with TCP Fast Open.
            var place = sockaddr_in()
            (place.sin_family, place.sin_port) = (sa_family_t(AF_INET), UInt16(9).bigEndian)
            let (fastOpen, length) = (Int32(0x2000_0000), socklen_t(MemoryLayout<sockaddr_in>.size))
            withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    #expect(sendto(stream, "x", 1, fastOpen, $0, length) < 0 && errno == ENOSYS)
                    #expect(sendto(stream, "x", 1, 0, $0, length) < 0 && errno == ENOSYS)
                }
            }
            var message = msghdr()
            #expect(sendmsg(stream, &message, fastOpen) < 0 && errno == ENOSYS)
            #expect(send(stream, "x", 1, Int32(MSG_NOSIGNAL)) < 0 && errno == EPIPE)
            // The scheduling of other processes cannot be changed.
            var parameters = sched_param()
            #expect(sched_setscheduler(getppid(), SCHED_OTHER, &parameters) < 0 && errno == ENOSYS)
            #expect(
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getppid()), 19) < 0
                    && errno == ENOSYS)
            #expect(setpriority(__priority_which_t(PRIO_USER.rawValue), 0, 19) < 0 && errno == ENOSYS)
            #expect(setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19) == 0)
            // Threads, open files, and memory are unaffected.
            let thread = Thread { _ = Data(count: 1 << 20) }
            thread.start()
            #expect(FileManager.default.contents(atPath: "/etc/passwd")?.isEmpty == false)
            #expect(Data(count: 1 << 24).count == 1 << 24)
        }
    }
}
