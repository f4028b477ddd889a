import Capture
import Media
internal import Setup

/// Checks whether there are hardware encoders, and reports the results of their trials.
enum EncoderCheck {
    private static let command = "multicam calibrate --machine"

    static func findings(of machine: Machine) -> [Finding] {
        let detected = EncoderDetection(
            root: machine.root, codecNodes: machine.codecNodes, libraryEncoders: machine.libraryEncoders
        ).encoders
        guard !detected.isEmpty else {
            return [
                Finding(
                    "system.encoder", .ok,
                    "there is no hardware encoder that libavcodec can use; the processor encodes.")
            ]
        }
        return detected.map { finding(on: $0, machine) }
    }

    private static func finding(on encoder: HardwareEncoder, _ machine: Machine) -> Finding {
        if let access = machine.access.first(where: { $0.permissions.node == encoder.node }),
            !access.isAllowed
        {
            let obstacle = access.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
            return Finding(
                "system.encoder", .warning, device: encoder.node,
                "\(encoder.device) cannot encode: \(obstacle.explanation(node: encoder.node))",
                mend: obstacle.mend(node: encoder.node))
        }
        guard let tried = machine.triedEncoders.first(where: { $0.encoder == encoder }) else {
            return Finding(
                "system.encoder", .unknown, device: encoder.node,
                "\(encoder.library) (\(encoder.device)) was not tried with its present driver, so it is not used.",
                mend: command)
        }
        let works = tried.figures != nil
        return Finding(
            "system.encoder", works ? .ok : .warning, device: encoder.node, tried.sentence,
            mend: works ? nil : command)
    }
}
