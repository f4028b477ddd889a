internal import FoundationEssentials
internal import Glibc
internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder
internal import MulticamSystem

/// Collects the states of the group's nodes and writes them to a file once per second, for this computer's control
/// room. Safe to use from any thread.
final class NodeStateMonitor: Sendable {
    /// Content of the state file.
    private struct View: Encodable {
        /// The group's name.
        let group: String
        let nodes: [Entry]
    }

    /// A node of the group, as listed in the state file.
    private struct Entry: Encodable {
        let name: String
        /// Time of the node's last message on CLOCK_MONOTONIC; `nil` if no message has been received.
        var received_ns: Int64?
        /// The last state received from the node.
        var state: NodeState?
    }

    private let folder: GroupFolder
    private let nodeStates = ConditionLock<[String: (state: NodeState, at: ClockTime)]>([:])
    private let ending = Cancellation()

    private static let interval = Nanoseconds.seconds(1)
    /// Maximum number of nodes, given by the maximum number of connections to the broker.
    private static let mostNodes = 256

    /// Starts writing the state file.
    ///
    /// - Parameter folder: The group's folder. The group's members are included in the file even if they haven't sent a
    ///   state.
    init(_ folder: GroupFolder) {
        self.folder = folder
        MediaThread.startWhenPossible(name: "group:board") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            var file: NodeStateFile?
            repeat {
                if file == nil { file = Self.file(of: folder.group) }
                file?.write(JSONText.line(view()))
                next = max(next + Self.interval, clock.now)
            } while clock.sleep(until: next, unless: ending)
            file?.end()
        }
    }

    /// Receives node states over a connection until the connection is closed or the operation is canceled.
    func receiveStates(over connection: BrokerConnection, until over: Cancellation) {
        let subjects = GroupSubjects(group: folder.group)
        MediaThread.startWhenPossible(name: "group:hear") { [self] in
            do throws(GroupError) {
                let states = try connection.subscribe(to: subjects.prefix + "state.*")
                while !over.isCancelled, !ending.isCancelled {
                    guard let message = try states.next(timeout: 500),
                        let state = GroupStatus.state(message.bytes),
                        message.subject == subjects.state(of: state.node)
                    else { continue }
                    nodeStates.withLock { heard in
                        guard heard.count < Self.mostNodes || heard[state.node] != nil else { return }
                        heard[state.node] = (state, MonotonicClock().now)
                    }
                }
            } catch {
                // The connection has been closed. The thread that owns the connection reports the error.
            }
        }
    }

    func end() { ending.cancel() }

    /// Returns the file that the control room reads; `nil` if its folder can't be created.
    private static func file(of group: String) -> NodeStateFile? {
        let place = ControlFolder(environment: ProcessInfo.processInfo.environment)
        do throws(ControlError) {
            try place.make()
        } catch {
            return nil
        }
        guard mkdir(place.groups, 0o700) == 0 || errno == EEXIST else { return nil }
        return NodeStateFile("\(place.groups)/\(group).json")
    }

    private func view() -> View {
        var entries = nodeStates.withLock { heard in
            heard.map { Entry(name: $0.key, received_ns: $0.value.at.nanoseconds, state: $0.value.state) }
        }
        do throws(GroupError) {
            // Only the computer that created the group has a list of the group's members.
            for member in try folder.members() where !entries.contains(where: { $0.name == member.name }) {
                entries.append(Entry(name: member.name))
            }
        } catch {
            // Without a list of members, the file contains only the nodes that have sent states.
        }
        return View(group: folder.group, nodes: entries.sorted { $0.name < $1.name })
    }
}

/// A file with the states of a group's nodes. If a computer serves a group and is also one of its nodes, two
/// processes on this computer receive the same states. One of these processes writes the file, and the other
/// takes over when the first one ends for any reason. Use it from a single thread.
final class NodeStateFile {
    private let path: String
    private let lock: GroupFileLock

    /// Opens the lock of the state file. The initializer doesn't write the state file.
    ///
    /// - Parameter path: Path of the file. The file's folder must exist.
    init?(_ path: String) {
        guard let lock = GroupFileLock(path + ".lock") else { return nil }
        (self.path, self.lock) = (path, lock)
    }

    /// Replaces the file's content, unless another process is the file's writer. Only this user can read the
    /// file. If the disk is full, the old content remains.
    func write(_ text: String) {
        guard lock.isAcquired else { return }
        do throws(FileError) {
            try FileReplacement.write(Array(text.utf8), to: path, permissions: 0o600)
        } catch {
            // An error in writing the file is ignored. The timestamps in the file show readers that its
            // content is old.
        }
    }

    /// Stops writing, and removes the file unless another process is the file's writer.
    func end() {
        guard lock.isAcquired else { return }
        unlink(path)
        lock.release()
    }
}
