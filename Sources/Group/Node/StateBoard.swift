internal import Control
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import SessionFolder

/// What this computer hears of its group's nodes, each second in a file from which its control room tells it. Safe to use from any thread.
final class StateBoard: Sendable {
    /// The file.
    private struct View: Encodable {
        /// The group's name.
        let group: String
        let nodes: [Entry]
    }

    /// A node.
    private struct Entry: Encodable {
        let name: String
        /// When it was heard last, on CLOCK_MONOTONIC; `nil` where it was not yet.
        var heard_ns: Int64?
        /// What it said then.
        var state: NodeState?
    }

    private let folder: GroupFolder
    private let heard = ConditionLock<[String: (state: NodeState, at: ClockTime)]>([:])
    private let ending = Cancellation()

    private static let interval = Nanoseconds.seconds(1)
    /// A group has no more nodes than its broker has connections.
    private static let mostNodes = 256

    /// Writes the file from here on.
    ///
    /// - Parameter folder: The group's folder, whose members are in the file also when nothing was heard of them.
    init(_ folder: GroupFolder) {
        self.folder = folder
        _ = MediaThread(name: "group:board") { [self] in
            let clock = MonotonicClock()
            var next = clock.now
            var file: StateFile?
            repeat {
                if file == nil { file = Self.file(of: folder.group) }
                file?.write(JSONText.line(view()))
                next = max(next + Self.interval, clock.now)
            } while clock.sleep(until: next, unless: ending)
            file?.end()
        }
    }

    /// Hears what nodes tell over a connection, until that is closed or the end.
    func listen(over connection: BrokerConnection, until over: Cancellation) {
        let subjects = GroupSubjects(group: folder.group)
        _ = MediaThread(name: "group:hear") { [self] in
            do throws(GroupError) {
                let states = try connection.subscribe(to: subjects.prefix + "state.*")
                while !over.isCancelled, !ending.isCancelled {
                    guard let message = try states.next(patience: 500),
                        let state = GroupStatus.state(message.bytes),
                        message.subject == subjects.state(of: state.node)
                    else { continue }
                    heard.withLock { heard in
                        guard heard.count < Self.mostNodes || heard[state.node] != nil else { return }
                        heard[state.node] = (state, MonotonicClock().now)
                    }
                }
            } catch {
                // The connection is closed, which its own thread tells.
            }
        }
    }

    func end() { ending.cancel() }

    /// The file from which the control room tells it; `nil` while its folder cannot be made.
    private static func file(of group: String) -> StateFile? {
        let place = ControlFolder(environment: ProcessInfo.processInfo.environment)
        do throws(ControlError) {
            try place.make()
        } catch {
            return nil
        }
        guard mkdir(place.groups, 0o700) == 0 || errno == EEXIST else { return nil }
        return StateFile("\(place.groups)/\(group).json")
    }

    private func view() -> View {
        var entries = heard.withLock { heard in
            heard.map { Entry(name: $0.key, heard_ns: $0.value.at.nanoseconds, state: $0.value.state) }
        }
        do throws(GroupError) {
            // Where the group was made they are known.
            for member in try folder.members() where !entries.contains(where: { $0.name == member.name }) {
                entries.append(Entry(name: member.name))
            }
        } catch {
            // Those that were heard are enough.
        }
        return View(group: folder.group, nodes: entries.sorted { $0.name < $1.name })
    }
}
