import CMulticamFuzzer
import Glibc

/// A libFuzzer program. `MULTICAM_FUZZ_TARGET` is the target, and `MULTICAM_FUZZ_FOLDER` is an empty folder
/// in memory. The arguments are those of libFuzzer. `tools/fuzz` builds and runs the program.
@main
enum Fuzz {
    static func main() throws {
        guard let name = value("MULTICAM_FUZZ_TARGET"), let folder = value("MULTICAM_FUZZ_FOLDER") else {
            // Print each target with its size limit for `tools/fuzz`.
            for target in FuzzTargets.all { print(target.name, target.limit) }
            return
        }
        guard let kind = FuzzTargets.all.first(where: { $0.name == name }) else {
            say("there is no target \(name).")
            exit(2)
        }
        target = try kind.init(folder: folder)
        var (count, arguments) = (
            CommandLine.argc, CommandLine.unsafeArgv as UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        )
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                Fuzz.tryOne(UnsafeBufferPointer(start: bytes, count: count))
                return 0
            })
    }

    /// The target is set once, before the single-threaded libFuzzer starts.
    nonisolated(unsafe) private static var target: (any FuzzTarget)?

    private static func tryOne(_ bytes: UnsafeBufferPointer<UInt8>) {
        do throws(RuleViolation) {
            try target?.check(Array(bytes))
        } catch {
            say("\(error)")
            // libFuzzer saves the input that caused the abort.
            abort()
        }
    }

    private static func say(_ sentence: String) {
        let line = Array("fuzz: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
