internal import Capture
internal import Media

/// The results of all checks of `multicam doctor` on this computer.
public struct Examination: Sendable {
    /// The findings, grouped by check, in the order of the checks.
    public let findings: [Finding]

    /// Runs all checks. Reads facts of the kernel and the sound server, and changes nothing. Takes up to a few seconds when the
    /// sound server does not answer; do not call it in a Swift task.
    ///
    /// - Parameters:
    ///   - output: The folder that recordings will go to; it need not exist.
    ///   - nodes: Nodes of the virtual cameras to which a profile publishes.
    public init(output: String, publishingTo nodes: [String] = []) {
        var machine = Machine(output: output)
        machine.publishedNodes = nodes
        self.init(of: machine)
    }

    init(of machine: Machine) {
        let checks: [(Machine) -> [Finding]] = [
            CameraCheck.findings, CameraDriverCheck.findings, VirtualCameraCheck.findings,
            USBSpeedCheck.findings,
            USBBandwidthCheck.findings, USBPowerCheck.findings, SoundServerCheck.findings,
            MicrophoneCheck.findings, StorageCheck.findings, FolderCheck.findings, ProcessorCheck.findings,
            EncoderCheck.findings,
            SystemCheck.findings, KernelLogCheck.findings,
        ]
        findings = checks.flatMap { $0(machine) }
    }

    /// Whether no finding is a problem, which would make recordings fail.
    public var isHealthy: Bool { !findings.contains { $0.level == .problem } }
}
