import Foundation
import Glibc

/// A pseudoterminal (pty) that displays a command's output and sends key presses to it.
final class Terminal {
    /// The end that is used as a command's standard streams.
    let end: FileHandle
    private let keyboard: Int32

    init(columns: UInt16) throws {
        // Swift's Glibc module lacks the wrapper functions described in pts(4).
        let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var isLocked: Int32 = 0
        var index: UInt32 = 0
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard keyboard >= 0, ioctl(keyboard, setLock, &isLocked) == 0,
            ioctl(keyboard, getNumber, &index) == 0,
            ioctl(keyboard, UInt(TIOCSWINSZ), &size) == 0
        else {
            throw RunningCommand.Failure(description: "no terminal can be made: errno \(errno)")
        }
        let number = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY)
        guard number >= 0 else {
            throw RunningCommand.Failure(description: "the terminal cannot be opened: errno \(errno)")
        }
        end = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    deinit {
        close(keyboard)
    }

    func pressControlC() {
        var key: UInt8 = 3
        write(keyboard, &key, 1)
    }

    /// Reads the terminal's output until `isEnough` accepts it.
    func read(until isEnough: (String) -> Bool) -> String {
        var shown: [UInt8] = []
        while !isEnough(String(decoding: shown, as: UTF8.self)) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(keyboard, &bytes, bytes.count)
            guard count > 0 else { break }
            shown += bytes.prefix(count)
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
