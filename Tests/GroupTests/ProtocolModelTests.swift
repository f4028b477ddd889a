import MulticamMedia
import MulticamSessionFolder
import Testing

@testable import MulticamGroup

/// A model of the protocol that starts and ends recordings on a node. It covers the states of coordinator,
/// node, recorder, and store, with crashes and lost messages at every step. It calls the decision functions
/// of the production code, and `ProtocolModelTests` explores all of its states.
struct ProtocolModel: Hashable {
    /// The time of a recording relative to now.
    enum Phase: UInt8 { case unscheduled, ahead, past, over }
    /// A recording in the node's journal. An entry that is `abandoned` (given up) has no folder; an entry that is
    /// `ended` has one.
    enum Entry: UInt8 { case none, expected, recording, dropped, abandoned, ended }
    enum Recorder: UInt8 { case away, idle, waiting, recording }
    /// The next step of the node's thread that begins a recording.
    enum Thread: UInt8 { case none, start, await }
    /// Implausible values count as `none`; `StoredRecordingTests` verifies that.
    enum Store: UInt8 { case none, running, ended }
    enum Coordinator: UInt8 { case none, prepared, noted, coordinating, ending }

    /// A value for each of the two recordings.
    struct Both<Value: Hashable>: Hashable {
        private var first: Value
        private var second: Value

        init(_ value: Value) { (first, second) = (value, value) }

        subscript(index: Int) -> Value {
            get { index == 0 ? first : second }
            set { if index == 0 { first = newValue } else { second = newValue } }
        }
    }

    /// Number of consecutive recordings: one or two.
    let count: Int
    /// Whether recordings have a duration.
    let isTimed: Bool
    /// Whether a second, hostile node always reports a recording that the group doesn't know.
    let hasHostileNode: Bool
    var phases = Both(Phase.unscheduled)
    var journal = Both(Entry.none)
    /// Whether the recorder has finished the recording.
    var isFinished = Both(false)
    var recorder = Recorder.away
    /// The recording that the recorder is waiting for or making.
    var recorded: Int?
    var isNodeUp = true
    var thread = Thread.none
    var beginning: Int?
    var store = Store.none
    var stored: Int?
    var coordinator = Coordinator.none
    var coordinated: Int?
    /// Orders in transit, each of which may be delivered several times or never.
    var beginOrders = Both(false)
    var stopOrders = Both(false)
    /// The violated rule, if any.
    var broken: String?

    static let names = ["a", "b"]
    static let now: Int64 = 1_795_889_000_000_000_000

    // MARK: The values that the programs decide by

    private func start(_ index: Int) -> Int64 {
        let seconds: Int64 =
            switch phases[index] {
            case .unscheduled, .ahead: 3
            case .past: -20
            case .over: -100
            }
        // A recording is over before the next one begins.
        return (Nanoseconds(Self.now) + .seconds(seconds + 5 * Int64(index))).count
    }

    private func recording(_ index: Int, isEnded: Bool) -> GroupRecording {
        GroupRecording(
            name: Self.names[index], group: "g", coordinator: "c", term: 1, t0_utc_ns: start(index),
            duration_ns: isTimed ? Nanoseconds.seconds(60).count : nil, end_utc_ns: isEnded ? Self.now : nil,
            nodes: ["node"])
    }

    private var storedRecording: StoredRecording {
        switch (store, stored) {
        case (.running, .some(let index)): .recording(recording(index, isEnded: false), revision: 1)
        case (.ended, .some(let index)): .recording(recording(index, isEnded: true), revision: 1)
        default: .none
        }
    }

    private func entry(_ index: Int) -> NodeRecording {
        var entry = NodeRecording(recording: Self.names[index], t0_utc_ns: start(index), term: 1)
        switch journal[index] {
        case .none, .expected: entry.outcome = "recording"
        case .recording: (entry.outcome, entry.folder) = ("recording", Self.names[index])
        case .dropped: entry.outcome = "unfinished"
        case .abandoned: entry.outcome = "failed"
        case .ended: (entry.outcome, entry.folder) = ("finished", Self.names[index])
        }
        return entry
    }

    private var entries: [NodeRecording] { [0, 1].filter { journal[$0] != .none }.map(entry) }

    private var running: Int? { [1, 0].first { journal[$0] == .expected || journal[$0] == .recording } }

    private var activity: RecorderActivity {
        switch (recorder, recorded) {
        case (.idle, _): .idle
        case (.waiting, _): .waiting
        case (.recording, .some(let index)):
            .recording(
                RecordingStart(
                    folder: Self.names[index], monotonic: ClockTime(nanoseconds: 0), utc: start(index)))
        default: .notRunning
        }
    }

    /// Returns the decision of a coordinator that starts now.
    ///
    /// - Parameter receivesMessages: Whether the coordinator receives the node's messages. It always receives those of
    ///   the hostile node.
    /// - Returns: The first action of the coordinator.
    private func choice(receivesMessages: Bool) -> CoordinatorChoice {
        var nodes: [String: String?] = receivesMessages ? ["node": running.map { Self.names[$0] }] : [:]
        if hasHostileNode { nodes["liar"] = "lie" }
        // There are no heartbeats, because this is the only coordinator.
        return CoordinatorChoice(stored: storedRecording, heartbeats: [], nodes: nodes, at: Self.now)
    }

    /// Whether a new coordinator would begin a recording with this node.
    var isUsable: Bool {
        guard case .begin = choice(receivesMessages: true) else { return false }
        return isNodeUp && recorder == .idle && beginning == nil && running == nil
            && Admission(of: "c", in: entries) == .begin
    }

    // MARK: Steps of the node

    private mutating func adopt(_ index: Int, _ start: RecordingStart) {
        if start.folder != Self.names[index] { broken = "a recording has the folder of another" }
        journal[index] = .recording
    }

    private mutating func reconcile() {
        guard let index = running else {
            if beginning == nil, let (entry, start) = Reconciliation.untracked(in: entries, activity) {
                adopt(Self.names.firstIndex(of: entry.recording) ?? 0, start)
            }
            return
        }
        let isHeld = recorder == .recording && recorded == index
        switch Reconciliation(
            entry(index), in: entries, activity, isBeginning: beginning == index,
            folder: isHeld ? .running : .ended)
        {
        case .unchanged: break
        case .adopt(let start): adopt(index, start)
        case .end: journal[index] = .ended
        case .drop: journal[index] = .dropped
        }
    }

    private mutating func admit(_ index: Int) {
        guard GroupRecording.fault(ofStart: start(index), at: Self.now) == nil else { return }
        guard beginning == nil else { return }
        if let running, running != index { reconcile() }
        guard Admission(of: Self.names[index], in: entries) == .begin else { return }
        if beginning != nil { broken = "two recordings begin at once" }
        journal[index] = .expected
        (thread, beginning) = (.start, index)
        if [0, 1].filter({ journal[$0] == .expected || journal[$0] == .recording }).count > 1 {
            broken = "two recordings run on one node"
        }
    }

    private mutating func endThread() { (thread, beginning) = (.none, nil) }

    /// Stops the recorder's recording or its wait for T0.
    private mutating func stopRecorder() {
        if recorder == .recording, let recorded { isFinished[recorded] = true }
        if recorder == .recording || recorder == .waiting { (recorder, recorded) = (.idle, nil) }
    }

    private mutating func stop(_ index: Int) {
        guard journal[index] == .expected || journal[index] == .recording else { return }
        if journal[index] == .expected { journal[index] = .abandoned }
        stopRecorder()
    }

    private mutating func applyFollowDecision() {
        let decision = RecordingAction(
            storedRecording.recording, node: "node", running: running.map(entry), at: Self.now)
        switch (decision, stored) {
        case (.begin, .some(let index)): admit(index)
        case (.stop, .some(let index)): stop(index)
        default: break
        }
    }

    // MARK: Transitions

    /// An event and the resulting state.
    typealias Step = (name: String, state: ProtocolModel)

    /// All possible next states, except after a crash, a loss, or a replaced store. These steps lead to
    /// recovery.
    func successors() -> [Step] {
        var found: [Step] = []
        func step(_ name: String, _ body: (inout ProtocolModel) -> Void) {
            var next = self
            body(&next)
            if next != self { found.append((name, next)) }
        }
        for index in [0, 1] {
            if phases[index] == .ahead { step("T0 of \(index)") { $0.phases[index] = .past } }
            if isTimed, phases[index] == .past { step("\(index) is over") { $0.phases[index] = .over } }
            if isNodeUp, beginOrders[index] { step("order to begin \(index)") { $0.admit(index) } }
            if isNodeUp, stopOrders[index] { step("order to stop \(index)") { $0.stop(index) } }
        }
        if let recorded {
            if recorder == .waiting, phases[recorded] != .ahead {
                step("the recorder begins") { next in
                    next.recorder = .recording
                    if next.isFinished[recorded] {
                        next.broken = "a recording that has finished begins again"
                    }
                }
            }
            if recorder == .recording, phases[recorded] == .over {
                step("the recorder ends") { $0.stopRecorder() }
            }
        }
        if isNodeUp {
            step("tend") { $0.reconcile() }
            step("follow") { $0.applyFollowDecision() }
            if recorder == .away { step("a recorder starts") { $0.recorder = .idle } }
            beginningSteps(step)
        } else {
            step("the node starts") { next in
                next.isNodeUp = true
                if next.recorder == .away { next.recorder = .idle }
            }
        }
        coordinatorSteps(step)
        return found
    }

    private func beginningSteps(_ step: (String, (inout ProtocolModel) -> Void) -> Void) {
        guard let beginning else { return }
        switch thread {
        case .none: break
        case .start:
            step("the recorder is asked to begin") { next in
                if next.recorder == .away { next.recorder = .idle }
                if next.recorder == .waiting { next.stopRecorder() }
                guard next.recorder == .idle, next.phases[beginning] != .over,
                    next.journal[beginning] == .expected
                else {
                    if next.journal[beginning] == .expected { next.journal[beginning] = .abandoned }
                    return next.endThread()
                }
                (next.recorder, next.recorded, next.thread) = (.waiting, beginning, .await)
            }
        case .await:
            if recorder == .recording, recorded == beginning {
                step("the node knows the folder") { next in
                    let isWanted = next.journal[beginning] == .expected
                    next.journal[beginning] = .recording
                    if !isWanted { next.stopRecorder() }
                    next.endThread()
                }
            } else if recorder != .waiting {
                step("the node gives up") { next in
                    if next.journal[beginning] == .expected { next.journal[beginning] = .abandoned }
                    next.endThread()
                }
            }
        }
    }

    private func coordinatorSteps(_ step: (String, (inout ProtocolModel) -> Void) -> Void) {
        switch (coordinator, coordinated) {
        case (.none, _):
            for isHeard in [true, false] where isNodeUp || !isHeard {
                let choice = choice(receivesMessages: isHeard)
                step("a coordinator: \(choice)") { $0.choose(choice) }
            }
        case (.prepared, .some(let index)):
            step("the coordinator stores \(index)") { next in
                next.phases[index] = .ahead
                (next.store, next.stored, next.coordinator) = (.running, index, .noted)
            }
        case (.noted, .some(let index)):
            step("the coordinator orders to begin") { next in
                next.beginOrders[index] = true
                next.coordinator = .coordinating
            }
        case (.coordinating, .some(let index)):
            step("the coordinator looks at the store") { next in
                let own = next.recording(index, isEnded: false)
                if case .store = StoreDecision(coordinating: own, stored: next.storedRecording) {
                    (next.store, next.stored) = (.running, index)
                }
            }
            step("Ctrl-C") { next in
                let own = next.recording(index, isEnded: false)
                if StoreDecision.ending(own, at: Self.now, stored: next.storedRecording) != nil {
                    (next.store, next.stored) = (.ended, index)
                }
                next.coordinator = .ending
            }
            // Ctrl-C is pressed while the broker is unavailable, so the store doesn't receive the end.
            step("Ctrl-C without the store") { $0.coordinator = .ending }
        case (.ending, .some(let index)):
            step("the coordinator orders to stop") { next in
                next.stopOrders[index] = true
                (next.coordinator, next.coordinated) = (.none, nil)
            }
        default: break
        }
    }

    private mutating func choose(_ choice: CoordinatorChoice) {
        switch choice {
        case .refuse: break
        case .takeOver(let recording):
            coordinated = Self.names.firstIndex(of: recording.name)
            coordinator = .coordinating
        case .recover(let name, _):
            guard let index = Self.names.firstIndex(of: name) else {
                // The coordinator hears only the hostile node, and believes it until Ctrl-C. The store then
                // contains its recording.
                (store, stored) = (.none, nil)
                return
            }
            (coordinated, store, stored, coordinator) = (index, .running, index, .coordinating)
        case .begin(_, let strays):
            if isNodeUp, let index = strays["node"].flatMap({ Self.names.firstIndex(of: $0) }) {
                stop(index)
                reconcile()
            }
            guard isNodeUp, let next = (0..<count).first(where: { phases[$0] == .unscheduled }) else {
                return
            }
            // This step handles `prepare`.
            if running != nil { reconcile() }
            guard running == nil, beginning == nil, recorder != .recording else { return }
            if recorder != .idle { (recorder, recorded) = (.idle, nil) }
            (coordinator, coordinated) = (.prepared, next)
            // Orders expire after a few seconds; a new coordinator takes longer.
            (beginOrders, stopOrders) = (Both(false), Both(false))
        }
    }

    /// All possible next states after a crash, a loss, a power cut, or a replaced store.
    func accidents() -> [Step] {
        var found: [Step] = []
        func step(_ name: String, _ body: (inout ProtocolModel) -> Void) {
            var next = self
            body(&next)
            if next != self { found.append((name, next)) }
        }
        step("the node dies") { $0.crashNode() }
        step("the recorder dies") { $0.crashRecorder() }
        // A power cut occurs when the journal is already on disk.
        step("a power cut") { next in
            next.crashNode()
            next.crashRecorder()
        }
        step("the coordinator dies") { ($0.coordinator, $0.coordinated) = (.none, nil) }
        step("the store is lost") { ($0.store, $0.stored) = (.none, nil) }
        for index in [0, 1] where phases[index] != .unscheduled {
            // The store is replaced by an earlier copy.
            step("a copy of the store: \(index) runs") { ($0.store, $0.stored) = (.running, index) }
            step("a copy of the store: \(index) has ended") { ($0.store, $0.stored) = (.ended, index) }
            step("the order to begin \(index) is lost") { $0.beginOrders[index] = false }
            step("the order to stop \(index) is lost") { $0.stopOrders[index] = false }
        }
        if let beginning, thread == .await {
            // The recorder doesn't answer `start` or `stop` in time.
            step("the recorder doesn't answer") { next in
                next.journal[beginning] = .abandoned
                next.endThread()
            }
        }
        return found
    }

    private mutating func crashNode() {
        isNodeUp = false
        endThread()
    }

    private mutating func crashRecorder() { (recorder, recorded) = (.away, nil) }
}

@Suite("All states of the group protocol")
struct ProtocolModelTests {
    /// All reachable states and their transitions.
    private struct Exploration {
        var states: [ProtocolModel]
        /// The next states of each state, without accidents.
        var recoverySteps: [[Int32]] = []
        /// The first step found that leads to each state.
        var origins: [(name: String, from: Int32)] = [("", -1)]

        init(from first: ProtocolModel) {
            states = [first]
            var numbers: [ProtocolModel: Int32] = [first: 0]
            var next = 0
            while next < states.count {
                let state = states[next]
                var following: [Int32] = []
                for (isAccident, steps) in [(false, state.successors()), (true, state.accidents())] {
                    for (name, state) in steps where state.broken == nil || states[next].broken == nil {
                        let number = numbers[state] ?? Int32(states.count)
                        if number == states.count {
                            numbers[state] = number
                            states.append(state)
                            origins.append((name, Int32(next)))
                        }
                        if !isAccident { following.append(number) }
                    }
                }
                recoverySteps.append(following)
                next += 1
            }
        }

        /// Returns the steps that lead to a state, and the state itself.
        func trace(of number: Int) -> String {
            var (steps, at) = ([String](), number)
            while origins[at].from >= 0 {
                steps.append(origins[at].name)
                at = Int(origins[at].from)
            }
            return steps.reversed().joined(separator: "; ") + ": \(states[number])"
        }
    }

    @Test(
        "every state can recover; no recording runs twice or begins again after its end",
        arguments: [
            (count: 2, isTimed: false, hasLiar: false), (count: 1, isTimed: true, hasLiar: false),
            (count: 2, isTimed: false, hasLiar: true), (count: 1, isTimed: true, hasLiar: true),
        ])
    func all(count: Int, isTimed: Bool, hasLiar: Bool) {
        let exploration = Exploration(
            from: ProtocolModel(count: count, isTimed: isTimed, hasHostileNode: hasLiar))
        let states = exploration.states
        if let broken = states.firstIndex(where: { $0.broken != nil }) {
            Issue.record("\(exploration.trace(of: broken))")
        }
        // Search backward from the usable states.
        var before = [[Int32]](repeating: [], count: states.count)
        for (index, following) in exploration.recoverySteps.enumerated() {
            for next in following { before[Int(next)].append(Int32(index)) }
        }
        var open = states.indices.filter { states[$0].isUsable }
        var returns = [Bool](repeating: false, count: states.count)
        for index in open { returns[index] = true }
        while let index = open.popLast() {
            for former in before[index].map({ Int($0) }) where !returns[former] {
                returns[former] = true
                open.append(former)
            }
        }
        let lost = states.indices.filter { !returns[$0] && states[$0].broken == nil }
        if let first = lost.first {
            Issue.record(
                "no way back from \(lost.count) of \(states.count) states: \(exploration.trace(of: first))")
        }
        #expect(states.count > 1000)
        print(
            "\(count) recordings, \(isTimed ? "with" : "without") a duration, \(hasLiar ? "with" : "without") a hostile node: \(states.count) states"
        )
    }
}
