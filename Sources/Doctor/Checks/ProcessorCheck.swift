import Capture
import Media

/// Checks whether the processor may run at its full speed.
enum ProcessorCheck {
    private static let folder = "/sys/devices/system/cpu"

    static func findings(of machine: Machine) -> [Finding] {
        let policies = machine.entries(folder).filter {
            $0.hasPrefix("cpu") && $0.dropFirst(3).allSatisfy(\.isNumber) && $0.count > 3
        }.compactMap { name -> (governor: String, driver: String)? in
            guard let governor = machine.text("\(folder)/\(name)/cpufreq/scaling_governor") else {
                return nil
            }
            return (governor, machine.text("\(folder)/\(name)/cpufreq/scaling_driver") ?? "")
        }
        guard !policies.isEmpty else {
            return [
                Finding(
                    "system.governor", .unknown,
                    "the kernel does not say how it sets the processor's speed; a virtual machine does not know."
                )
            ]
        }
        // intel_pstate and amd-pstate-epp call their ordinary, dynamic mode powersave; with others it is the lowest speed.
        let slow = policies.filter { policy in
            policy.governor == "conservative"
                || policy.governor == "powersave" && !policy.driver.contains("pstate")
        }
        guard let first = slow.first else {
            let names = Set(policies.map(\.governor)).sorted().joined(separator: ", ")
            return [Finding("system.governor", .ok, "the processor's speed follows the load (\(names)).")]
        }
        return [
            Finding(
                "system.governor", .warning,
                "\(slow.count) of \(policies.count) processors are kept slow (governor \(first.governor)): encoders may fall behind.",
                mend: "echo performance | \(machine.sudo)tee \(folder)/cpu*/cpufreq/scaling_governor")
        ]
    }
}
