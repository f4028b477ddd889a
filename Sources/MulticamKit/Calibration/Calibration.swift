internal import Encoding
internal import FoundationEssentials
internal import Glibc
public import Media
internal import Plan
internal import Session
public import Setup
internal import Synchrony

/// Measures how late a session's cameras and microphones date events that all of them see or hear: claps, or flashes with a beep.
///
///     let calibration = try Calibration(SessionSetup(request), CalibrationOptions())
///     let result = try await calibration.measure()
///     let warning = try calibration.keep(result)
///
/// The devices run as in a recording, in the same formats and with the same clock models; nothing is recorded.
public final class Calibration: Sendable {
    private let setup: SessionSetup
    private let options: CalibrationOptions
    private let clock: any SessionClock
    private let reference: String
    private let observation: Observation
    private let sink: AsyncStream<CalibrationEvent>.Continuation

    /// The events of the calibration, in order. The stream ends with the measurement.
    public let events: AsyncStream<CalibrationEvent>

    /// Prepares a calibration of the devices of a setup.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened devices; the latencies and offsets of its plan are ignored.
    ///   - options: How long and how accurately to measure.
    ///   - clock: The session clock; simulated for tests with synthetic devices.
    /// - Throws: `CalibrationError.usage` when there is no microphone or no second device, or the reference is none of the
    ///   microphones; `CalibrationError.recording` when a camera's stream cannot be decoded.
    public init(
        _ setup: SessionSetup, _ options: CalibrationOptions = CalibrationOptions(),
        clock: any SessionClock = MonotonicClock()
    ) throws(CalibrationError) {
        let microphones = setup.plan.microphones.map(\.role)
        guard let first = microphones.first, setup.plan.cameras.count + microphones.count > 1 else {
            throw .usage(
                "to calibrate, a microphone and at least one other device are needed; the profile "
                    + "`\(setup.plan.profile.printable())` has too few (cameras: \(setup.plan.cameras.count), microphones: "
                    + "\(microphones.count)). Choose another profile.")
        }
        reference = options.reference ?? first
        guard microphones.contains(reference) else {
            throw .usage(
                "the reference `\(reference.printable())` is none of the profile's microphones: "
                    + "\(microphones.joined(separator: ", ")).")
        }
        self.setup = setup
        self.options = options
        self.clock = clock
        (events, sink) = AsyncStream.makeStream()
        do throws(EncodingError) {
            observation = try Observation(
                plan: setup.plan, cameras: setup.cameras, microphones: setup.microphones, clock: clock,
                codecs: Codecs())
        } catch {
            throw .recording(.encoding(error))
        }
    }

    /// Ends the measurement soon, with the results so far. Any thread may call it.
    public func stop() { observation.stop() }

    /// Measures until every device is known accurately enough, the time is over, `stop` is called, or no more events can come.
    /// Call it once only.
    ///
    /// - Returns: The findings on each device.
    /// - Throws: `CalibrationError.recording` when a device does not start or is silent.
    public func measure() async throws(CalibrationError) -> CalibrationResult {
        defer { sink.finish() }
        let listener = CalibrationListener(
            reference: reference, setup: setup, options: options, tell: { [sink] in sink.yield($0) })
        let carried = ConditionLock(listener)
        let outcome: Result<CalibrationResult, RecordingError> = await withCheckedContinuation {
            continuation in
            _ = MediaThread(name: "calibrate") { [observation, options] in
                do throws(RecordingError) {
                    try observation.run(startTimeLimit: options.startTimeLimit) { news, now in
                        carried.withLock { $0.take(news, at: now) }
                    }
                    continuation.resume(returning: .success(carried.withLock { $0.result() }))
                } catch .stopped {
                    continuation.resume(returning: .success(carried.withLock { $0.result() }))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        do throws(RecordingError) {
            return try outcome.get()
        } catch {
            throw .recording(error)
        }
    }

    /// Stores the usable findings, so that recordings apply them. Does nothing when no device but the reference is usable. Waits
    /// for the disk.
    ///
    /// - Returns: A sentence for the user when earlier calibrations could not be read.
    /// - Throws: `StateFileError` when they cannot be written, or this user has no folder for them.
    public func keep(_ result: CalibrationResult) throws(StateFileError) -> String? {
        guard let file = Calibrations.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME", subject: Calibrations.subject, operation: "keep", errno: ENOENT)
        }
        return try keep(result, in: file)
    }

    func keep(
        _ result: CalibrationResult, in file: StateFile<Calibrations>
    ) throws(StateFileError) -> String? {
        let usable = result.findings.filter(\.isUsable)
        guard let reference = usable.first(where: { $0.verdict == .reference }), usable.count > 1 else {
            return nil
        }
        let date = clock.date(of: clock.now).formatted(.iso8601)
        return try file.update { calibrations in
            for finding in usable {
                calibrations.add(
                    CalibratedDevice(finding, reference: reference.device.identity, date: date),
                    of: finding.device,
                    among: finding.device.mediaType == .video
                        ? setup.devices.cameras : setup.devices.microphones)
            }
        }
    }
}

extension CalibratedDevice {
    fileprivate init(_ finding: CalibrationFinding, reference: DeviceIdentity, date: String) {
        self.init(
            identity: finding.device.identity, selector: Calibrations.ownSelector(of: finding.device),
            format: finding.format, correction: finding.correction ?? .zero,
            uncertainty: finding.estimate?.uncertainty ?? .zero, spread: finding.estimate?.spread ?? .zero,
            events: finding.estimate?.eventCount ?? 0, role: finding.role, reference: reference, date: date)
    }
}
