import Capture
import Media

/// Checks the folders in which the program keeps profiles and what it remembers.
enum FolderCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard !machine.ownFolders.isEmpty else {
            return [
                Finding(
                    "storage.own", .warning,
                    "there is no home folder (HOME is not set): profiles and preferences cannot be kept.")
            ]
        }
        return machine.ownFolders.map { folder in
            if folder.isWritable {
                return Finding(
                    "storage.own", .ok, device: folder.path, "profiles and preferences can be kept here.")
            }
            return Finding(
                "storage.own", .warning, device: folder.path,
                "profiles and preferences cannot be kept here, since \(folder.existing) is not yours to write.",
                mend: "\(machine.sudo)chown \(machine.user.id) \(folder.existing.shellQuoted())")
        }
    }
}
