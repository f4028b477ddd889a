/// Why a user may not open a device's node, and so which remedy helps.
public enum AccessObstacle: Sendable, Hashable {
    /// The group of this name may open the node, and the user is not in it.
    case notInGroup(String)
    /// The user is in the group by now, but was not when this login began.
    case loginNeeded(group: String)
    /// No group but root's may open the node.
    case closed
    /// The node's permissions allow it, but the container's rules do not pass it on (device cgroup, user namespace).
    case container
    /// The node's permissions allow it, but a rule of the system forbids it, as of AppArmor or SELinux.
    case forbidden

    /// Sentences that say why the node cannot be opened and what to do, for a node such as `/dev/video0`.
    public func explanation(node: String) -> String {
        let quoted = node.shellQuoted()
        return switch self {
        case .notInGroup(let group):
            "you may not open it. Join the group with `sudo usermod -aG \(group.shellQuoted()) $USER` and log in again."
        case .loginNeeded(let group):
            "you are in the group \(group.printable()) already, but this login is older. Log out and in again, or run "
                + "`newgrp \(group.shellQuoted())` for this terminal."
        case .closed:
            "no group but root's may open it. Give it to the group video with "
                + "`sudo chgrp video \(quoted) && sudo chmod g+rw \(quoted)`."
        case .container:
            "this container does not pass it on (device cgroup). Start the container with `--device \(quoted)`."
        case .forbidden:
            "its permissions allow it, but a rule of the system forbids it. Look for AppArmor or SELinux in `sudo dmesg`."
        }
    }
}

extension AccessObstacle {
    /// The shell command that helps; `nil` where it has to be given outside of this machine, or is not known.
    public func mend(node: String) -> String? {
        let quoted = node.shellQuoted()
        return switch self {
        case .notInGroup(let group): "sudo usermod -aG \(group.shellQuoted()) $USER"
        case .loginNeeded(let group): "newgrp \(group.shellQuoted())"
        case .closed: "sudo chgrp video \(quoted) && sudo chmod g+rw \(quoted)"
        case .container, .forbidden: nil
        }
    }
}
