internal import Capture
internal import Media

/// What the doctor finds on this machine: for `multicam doctor`.
public struct Examination: Sendable {
    /// By group, in the order in which they are checked.
    public let findings: [Finding]

    /// Looks at the kernel's and the sound server's facts and changes nothing. Takes up to a few seconds where the audio
    /// server does not answer. Not in a Swift task.
    ///
    /// - Parameter output: The folder that recordings shall go to; need not exist yet.
    public init(output: String) {
        self.init(of: Machine(output: output))
    }

    init(of machine: Machine) {
        let checks: [(Machine) -> [Finding]] = [
            CameraCheck.findings, CameraDriverCheck.findings, USBSpeedCheck.findings,
            USBBandwidthCheck.findings, USBPowerCheck.findings, SoundServerCheck.findings,
            MicrophoneCheck.findings, StorageCheck.findings, FolderCheck.findings, ProcessorCheck.findings,
            EncoderCheck.findings,
            SystemCheck.findings, KernelLogCheck.findings,
        ]
        findings = checks.flatMap { $0(machine) }
    }

    /// Whether nothing was found that makes recordings fail.
    public var isHealthy: Bool { !findings.contains { $0.level == .problem } }
}
