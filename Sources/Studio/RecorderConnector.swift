internal import CLinux
package import Control
package import FileSystem
internal import Media

/// The web process's end of the `RecorderDoor`. Safe to use from any thread.
package final class RecorderConnector: Sendable {
    /// The descriptor that the supervisor gives its child.
    package static let descriptor: Int32 = 3

    private let door: OwnedDescriptor
    private let turn = ConditionLock(())

    /// Takes the end of a door.
    package init(_ door: consuming OwnedDescriptor) { self.door = door }

    /// Connects to a socket of the recorder. Blocks while that is too busy to take a connection, for some seconds.
    ///
    /// - Parameters:
    ///   - kind: Which socket.
    ///   - process: The recorder's process identifier.
    /// - Returns: The connected socket.
    /// - Throws: `ControlError.nobody` when that process is not the supervisor's recorder, or is not there.
    package func connect(_ kind: RecorderDoor.Socket, of process: Int32) throws(ControlError) -> LocalSocket {
        let number = turn.withLock { _ -> Int32 in
            var request = [kind.rawValue]
            withUnsafeBytes(of: process.littleEndian) { request.append(contentsOf: $0) }
            guard linux_send_beside(door.number, &request, UInt(request.count), -1) == request.count else {
                return -1
            }
            var (answer, number): (UInt8, Int32) = (0, -1)
            _ = linux_receive_beside(door.number, &answer, 1, &number)
            return number
        }
        guard number >= 0 else { throw .nobody("no recorder runs as process \(process).") }
        return LocalSocket(owning: number)
    }
}
