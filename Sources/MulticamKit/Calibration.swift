internal import FoundationEssentials
internal import Glibc
internal import MulticamEncoding
package import MulticamMedia
internal import MulticamPlan
package import MulticamSession
internal import MulticamSessionFolder
package import MulticamSetup
package import MulticamSynchrony

/// Measures the latency of a session's cameras and microphones from events that all of these devices capture,
/// such as claps or flashes with a beep.
///
/// ```swift
/// let calibration = try Calibration(SessionSetup(request), CalibrationOptions())
/// let result = try await calibration.measure()
/// let warning = try calibration.save(result)
/// ```
///
/// The devices run as they do in a recording, in the same formats and with the same clock models. No data is
/// recorded.
package final class Calibration: Sendable {
    private let setup: SessionSetup
    private let options: CalibrationOptions
    private let clock: any SessionClock
    private let reference: String
    private let observation: Observation
    private let sink: AsyncStream<CalibrationEvent>.Continuation

    /// The events of the calibration, in order. The stream ends when the measurement ends.
    package let events: AsyncStream<CalibrationEvent>

    /// Prepares a calibration of a setup's devices.
    ///
    /// - Parameters:
    ///   - setup: The setup with its opened devices. The latencies and offsets in the setup's plan are ignored.
    ///   - options: Duration and accuracy of the measurement.
    ///   - clock: The session clock; a simulated clock in tests with synthetic devices.
    /// - Throws: `CalibrationError.usage` if the setup has no microphone or no second device, or if the
    ///   reference isn't one of the microphones. `CalibrationError.recording` if a camera's stream can't be
    ///   decoded.
    package init(
        _ setup: SessionSetup, _ options: CalibrationOptions = CalibrationOptions(),
        clock: any SessionClock = MonotonicClock()
    ) throws(CalibrationError) {
        let microphones = setup.plan.microphones.map(\.role)
        guard let first = microphones.first, setup.plan.cameras.count + microphones.count > 1 else {
            throw .usage(
                "Calibration needs a microphone and at least one other device, but the profile "
                    + "`\(setup.plan.profile.printable())` doesn't have enough devices (cameras: \(setup.plan.cameras.count), microphones: "
                    + "\(microphones.count)). Choose another profile.")
        }
        reference = options.reference ?? first
        guard microphones.contains(reference) else {
            throw .usage(
                "The reference `\(reference.printable())` isn't a microphone of the profile. Use one of: "
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

    /// Ends the measurement as soon as possible and keeps the results so far. Thread-safe.
    package func stop() { observation.stop() }

    /// Measures until every device reaches the required accuracy, the time limit is reached, `stop` is
    /// called, or no more events can arrive. Call this method only once.
    ///
    /// - Returns: The findings for each device.
    /// - Throws: `CalibrationError.recording` if a device doesn't start or delivers no data.
    package func measure() async throws(CalibrationError) -> CalibrationResult {
        defer { sink.finish() }
        let listener = CalibrationDetector(
            reference: reference, setup: setup, options: options, report: { [sink] in sink.yield($0) })
        let carried = ConditionLock(listener)
        let outcome: Result<CalibrationResult, RecordingError> = await withCheckedContinuation {
            continuation in
            do throws(ThreadError) {
                _ = try MediaThread(name: "calibrate") { [observation, options] in
                    do throws(RecordingError) {
                        try observation.run(startTimeLimit: options.startTimeLimit) { news, now in
                            carried.withLock { $0.process(news, at: now) }
                        }
                        continuation.resume(returning: .success(carried.withLock { $0.result() }))
                    } catch .stopped {
                        continuation.resume(returning: .success(carried.withLock { $0.result() }))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            } catch {
                continuation.resume(returning: .failure(.thread(error)))
            }
        }
        do throws(RecordingError) {
            return try outcome.get()
        } catch {
            throw .recording(error)
        }
    }

    /// Stores the usable findings, so that recordings apply these corrections. The call blocks until the data
    /// is on disk. If only the reference has a usable finding, the call has no effect.
    ///
    /// - Returns: A message for the user if earlier calibrations couldn't be read.
    /// - Throws: `StateFileError` if the findings can't be written, or if this user doesn't have a state
    ///   folder.
    package func save(_ result: CalibrationResult) throws(StateFileError) -> String? {
        guard let file = Calibrations.file else {
            throw StateFileError(
                path: "XDG_STATE_HOME", subject: Calibrations.subject, operation: "save", errno: ENOENT)
        }
        return try save(result, in: file)
    }

    func save(
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

/// Duration and accuracy of a calibration.
package struct CalibrationOptions: Sendable, Equatable {
    /// Minimum number of events that each device must detect; at least 3.
    package var minEvents: Int
    /// The target accuracy. The measurement continues until each device's uncertainty is within this value.
    package var targetUncertainty: Nanoseconds
    /// Maximum duration of the measurement, starting when all devices are delivering data.
    package var duration: Nanoseconds
    /// Role of the reference microphone for the other devices; `nil` selects the first microphone.
    package var reference: String?
    /// Maximum time for the devices to begin to deliver valid frames and audio.
    package var startTimeLimit: Nanoseconds

    /// Creates options from their values.
    package init(
        minEvents: Int = 10, targetUncertainty: Nanoseconds = .milliseconds(2),
        duration: Nanoseconds = .seconds(120),
        reference: String? = nil, startTimeLimit: Nanoseconds = .seconds(10)
    ) {
        self.minEvents = minEvents
        self.targetUncertainty = targetUncertainty
        self.duration = duration
        self.reference = reference
        self.startTimeLimit = startTimeLimit
    }
}

/// An event of a running calibration.
package enum CalibrationEvent: Sendable {
    /// All devices are delivering data, so the user can start clapping. `reference` is the role of the
    /// reference microphone.
    case ready(reference: String)
    /// The reference microphone detected an event, and the other devices have had enough time to detect the
    /// same event. `number` counts the events, starting with the value 1. The two lists contain the roles of
    /// the devices that detected or missed the event.
    case detected(number: Int, detectedBy: [String], missedBy: [String], findings: [CalibrationFinding])
    /// A message for the user that explains how to improve the measurement, or why a device no longer detects
    /// events.
    case hint(String)
}

/// The result of a calibration for one device.
package struct CalibrationFinding: Sendable, Equatable {
    /// The accuracy class of a device's measurement.
    package enum Verdict: Sendable, Equatable {
        /// The reference microphone for the other devices.
        case reference
        /// The uncertainty of the measurement is within the target.
        case measured
        /// The uncertainty of the measurement exceeds the target, but the correction still makes timestamps
        /// more accurate.
        case coarse
        /// The uncertainty of the measurement exceeds the target, and the correction is so small that
        /// applying it could make timestamps less accurate.
        case undecided
        /// The device detected too few events.
        case tooFewEvents
    }

    /// The device's role in the profile.
    package let role: String
    /// The measured device.
    package let device: CaptureDevice
    /// The device's format during the measurement. The correction applies only to this format.
    package let format: CalibratedFormat
    /// The accuracy class of the device's measurement.
    package let verdict: Verdict
    /// Delay of the device's event times relative to the reference. The value is `nil` for the reference
    /// itself, and for a device that detected no events.
    package let estimate: LatencyEstimate?

    /// Whether the finding is accurate enough to be stored and applied.
    package var isUsable: Bool {
        switch verdict {
        case .reference, .measured, .coarse: true
        case .undecided, .tooFewEvents: false
        }
    }

    /// The correction to enter in a profile, which is a camera's latency or a microphone's offset; `nil` if
    /// the device detected no events.
    package var correction: Nanoseconds? {
        if verdict == .reference { return .zero }
        return estimate.map { device.mediaType == .video ? $0.median : -$0.median }
    }
}

/// The result of a calibration.
package struct CalibrationResult: Sendable {
    /// Number of events that the reference microphone heard.
    package let eventCount: Int
    /// The finding for each device, in the order of the plan, starting with the cameras.
    package let findings: [CalibrationFinding]
    /// The devices that disconnected or ended during the measurement, and the reasons, one sentence each.
    package let problems: [String]

    /// Whether every device has a usable finding.
    package var isComplete: Bool { findings.allSatisfy(\.isUsable) }

    /// Whether any device other than the reference has a usable finding.
    package var hasUsableFinding: Bool { findings.contains { $0.isUsable && $0.verdict != .reference } }
}

/// The reason why a calibration couldn't start or failed.
package enum CalibrationError: Error, Sendable, Equatable {
    /// The setup is unsuitable because it has too few devices or lacks the reference microphone. The message
    /// explains how to fix the problem.
    case usage(String)
    /// A device didn't start, delivered no data, or can't be decoded.
    case recording(RecordingError)
}

extension CalibrationError: CustomStringConvertible {
    /// The error message for the user, as a sentence.
    package var description: String {
        switch self {
        case .usage(let sentence): sentence
        case .recording(let error): error.description
        }
    }
}
