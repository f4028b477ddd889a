internal import FoundationEssentials
internal import Media
internal import SessionFolder

/// Asks nodes, and waits for their answers. Safe to use from any thread.
final class GroupCaller: Sendable {
    let connection: BrokerConnection
    let group: String
    /// Who asks, for people.
    let conductor: String
    /// The group's time, in nanoseconds since 1970.
    let now: @Sendable () -> Int64

    private static let once: Int64 = 2000

    init(
        _ connection: BrokerConnection, group: String, conductor: String, now: @escaping @Sendable () -> Int64
    ) {
        (self.connection, self.group, self.conductor, self.now) = (connection, group, conductor, now)
    }

    /// Makes an order that is to be done within a time.
    func order(_ action: GroupOrder.Action, of recording: String?, term: Int64, within time: Nanoseconds)
        -> GroupOrder
    {
        var generator = SystemRandomNumberGenerator()
        return GroupOrder(
            id: String(generator.next(), radix: 36) + String(generator.next(), radix: 36),
            conductor: conductor,
            term: term, action: action, deadline_utc_ns: (Nanoseconds(now()) + time).count,
            recording: recording)
    }

    /// Asks a node, again and again with the same order until it answers or the order's deadline has passed. Blocks.
    ///
    /// - Parameters:
    ///   - order: What is to be done; a node does it once, however often it is asked.
    ///   - node: The node's name.
    /// - Returns: The answer, which may be a refusal.
    /// - Throws: `GroupError` when none came in time.
    func ask(_ order: GroupOrder, of node: String) throws(GroupError) -> GroupAnswer {
        let subject = GroupSubjects(group: group).command(to: node)
        let text = JSONText.line(order)
        let clock = MonotonicClock()
        while true {
            let left = (Nanoseconds(order.deadline_utc_ns) - Nanoseconds(now())).count / 1_000_000
            let failure: GroupError
            do throws(GroupError) {
                let message = try connection.ask(text, on: subject, patience: max(min(left, Self.once), 200))
                return try Self.answer(message.bytes)
            } catch {
                failure = error
            }
            guard now() < order.deadline_utc_ns else { throw failure }
            clock.sleep(until: clock.now + .milliseconds(100), unless: Cancellation())
        }
    }

    /// Reads an answer.
    ///
    /// - Throws: `GroupError` when it is none.
    static func answer(_ bytes: [UInt8]) throws(GroupError) -> GroupAnswer {
        do {
            return try JSONText.decoder().decode(GroupAnswer.self, from: Data(bytes))
        } catch {
            throw GroupError("its answer is not understood: it has another version of multicam")
        }
    }

    /// Asks several nodes at once, and waits for all.
    ///
    /// - Parameters:
    ///   - nodes: Their names.
    ///   - order: Makes the order for one.
    /// - Returns: What each answers, in the same order.
    func askAll(
        _ nodes: [String], _ order: (String) -> GroupOrder
    ) -> [(node: String, answer: Result<GroupAnswer, GroupError>)] {
        let answers = ConditionLock<[String: Result<GroupAnswer, GroupError>]>([:])
        let threads = nodes.map { node in
            let order = order(node)
            return MediaThread(name: "ask:\(node)") { [self] in
                let answer = Result { () throws(GroupError) in try ask(order, of: node) }
                answers.withLock { $0[node] = answer }
            }
        }
        for thread in threads { thread.join() }
        return answers.withLock { answers in
            nodes.map { ($0, answers[$0] ?? .failure(GroupError("it does not answer"))) }
        }
    }
}
