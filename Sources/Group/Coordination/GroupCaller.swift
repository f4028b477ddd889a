internal import FoundationEssentials
internal import MulticamMedia
internal import MulticamSessionFolder

/// Sends commands to nodes and waits for their responses. Safe to use from any thread.
final class GroupCaller: Sendable {
    let connection: BrokerConnection
    let group: String
    /// Name of the sender, for messages.
    let coordinator: String
    /// The group's time, in nanoseconds since 1970.
    let now: @Sendable () -> Int64

    private static let attemptTimeout: Int64 = 2000

    init(
        _ connection: BrokerConnection, group: String, coordinator: String,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.connection, self.group, self.coordinator, self.now) = (connection, group, coordinator, now)
    }

    /// Creates a command that expires after the given time.
    func makeOrder(_ action: GroupOrder.Action, of recording: String?, term: Int64, within time: Nanoseconds)
        -> GroupOrder
    {
        var generator = SystemRandomNumberGenerator()
        return GroupOrder(
            id: String(generator.next(), radix: 36) + String(generator.next(), radix: 36),
            coordinator: coordinator,
            term: term, action: action, deadline_utc_ns: (Nanoseconds(now()) + time).count,
            recording: recording)
    }

    /// Sends a command to a node, and repeats it until the node responds or the command's deadline has
    /// passed. Blocks.
    ///
    /// - Parameters:
    ///   - order: The command to send. The node executes the command only once, even if it receives the
    ///     command several times.
    ///   - node: The node's name.
    ///   - stop: If a stop signal arrives, waiting ends within two seconds.
    /// - Returns: The node's response, which may be a refusal.
    /// - Throws: `GroupError` if no response arrives in time.
    func send(
        _ order: GroupOrder, to node: String, unless stop: StopSignals? = nil
    ) throws(GroupError) -> GroupAnswer {
        let subject = GroupSubjects(group: group).command(to: node)
        let text = JSONText.line(order)
        let clock = MonotonicClock()
        while true {
            let left = (Nanoseconds(order.deadline_utc_ns) - Nanoseconds(now())).count / 1_000_000
            let failure: GroupError
            do throws(GroupError) {
                let message = try connection.request(
                    text, on: subject, timeout: max(min(left, Self.attemptTimeout), 200))
                return try Self.answer(message.bytes)
            } catch {
                failure = error
            }
            guard now() < order.deadline_utc_ns, !(stop?.isRequested ?? false) else { throw failure }
            clock.sleep(until: clock.now + .milliseconds(100), unless: Cancellation())
        }
    }

    /// Decodes a node's response.
    ///
    /// - Throws: `GroupError` if the bytes aren't a valid response.
    static func answer(_ bytes: [UInt8]) throws(GroupError) -> GroupAnswer {
        do {
            return try JSONText.decoder().decode(GroupAnswer.self, from: Data(bytes))
        } catch {
            throw GroupError(
                "invalid response: the other computer is running a different version of multicam")
        }
    }

    /// Sends commands to several nodes concurrently and waits for all responses.
    ///
    /// - Parameters:
    ///   - nodes: Names of the nodes that receive a command.
    ///   - stop: If a stop signal arrives, waiting ends within two seconds.
    ///   - order: Creates the command for a node.
    /// - Returns: The responses, in the order of `nodes`.
    func sendToAll(
        _ nodes: [String], unless stop: StopSignals? = nil, _ order: (String) -> GroupOrder
    ) -> [(node: String, answer: Result<GroupAnswer, GroupError>)] {
        let answers = ConditionLock<[String: Result<GroupAnswer, GroupError>]>([:])
        let threads = nodes.map { node in
            let order = order(node)
            return MediaThread.startOrRunInline(name: "ask:\(node)") { [self] in
                let answer = Result { () throws(GroupError) in try send(order, to: node, unless: stop) }
                answers.withLock { $0[node] = answer }
            }
        }
        for thread in threads { thread.join() }
        return answers.withLock { answers in
            nodes.map { ($0, answers[$0] ?? .failure(GroupError("no response"))) }
        }
    }
}
