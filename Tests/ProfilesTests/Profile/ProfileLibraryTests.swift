import Foundation
import MulticamProfiles
import Testing

@Suite("Profiles by name")
struct ProfileLibraryTests {
    /// A temporary folder, which is deleted when this object is deallocated.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/multicam-profiles-\(UUID().uuidString)"

        func write(_ file: String, _ text: String = "cameras: { a: }\n") throws {
            let url = URL(fileURLWithPath: path + "/" + file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        deinit {
            do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) stays: \(error)") }
        }
    }

    private static let shipped: String = {
        // This file is Tests/ProfilesTests/Profile/… in the package.
        let parts = #filePath.split(separator: "/").dropLast(4)
        return "/" + parts.joined(separator: "/") + "/Profiles"
    }()

    @Test("the user's own folder comes first, then the program's profiles, then the data folders")
    func order() throws {
        let folder = Folder()
        try folder.write("package/Profiles/pip.yaml")
        let library = ProfileLibrary(
            environment: [
                "HOME": "/home/me", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/opt/share:/usr/share/",
            ],
            executable: folder.path + "/package/.build/x86_64/release/multicam")
        #expect(
            library.folders == [
                "/home/me/.config/multicam/profiles", folder.path + "/package/Profiles",
                "/data/multicam/profiles",
                "/opt/share/multicam/profiles", "/usr/share/multicam/profiles",
                "/usr/local/share/multicam/profiles",
            ])
    }

    @Test("an installed program searches next to its bin folder; relative paths in variables are ignored")
    func installed() {
        let library = ProfileLibrary(
            environment: ["HOME": "/home/me", "XDG_CONFIG_HOME": "relative"],
            executable: "/opt/multicam/bin/multicam")
        #expect(
            library.folders == [
                "/home/me/.config/multicam/profiles", "/opt/multicam/share/multicam/profiles",
                "/home/me/.local/share/multicam/profiles", "/usr/local/share/multicam/profiles",
                "/usr/share/multicam/profiles",
            ])
        #expect(
            ProfileLibrary(environment: [:], executable: nil).folders.first
                == "/usr/local/share/multicam/profiles")
    }

    @Test(
        "a user's profile hides a shipped one of the same name, and invalid ones are listed with their problem"
    )
    func list() throws {
        let folder = Folder()
        try folder.write("own/pip.yaml", "description: Mine\ncameras: { a: }\n")
        try folder.write("own/.hidden.yaml")
        try folder.write("own/notes.txt")
        try folder.write("shipped/pip.yaml", "description: Theirs\ncameras: { a: }\n")
        try folder.write("shipped/bad.yml", "cameras: 1\n")
        let library = ProfileLibrary(
            folders: [folder.path + "/none", folder.path + "/own", folder.path + "/shipped"])
        let entries = library.list()
        #expect(entries.map(\.name) == ["bad", "pip"])
        #expect(entries.map(\.description) == ["", "Mine"])
        #expect(entries[0].problem?.field == "cameras")
        #expect(entries[1].path == folder.path + "/own/pip.yaml")
        #expect(try library.load("pip").description == "Mine")
        #expect(try library.load(folder.path + "/shipped/pip.yaml").description == "Theirs")
        #expect(try library.load(folder.path + "/shipped/pip.yaml").name == "pip")
    }

    @Test("an unknown name is reported with the known ones")
    func unknown() throws {
        let folder = Folder()
        try folder.write("pip.yaml")
        try folder.write("grid.yaml")
        let library = ProfileLibrary(folders: [folder.path])
        let error = #expect(throws: ProfileError.self) { try library.load("pop") }
        #expect(
            error?.description
                == "pop: found no profile with this name, expected grid or pip (probably pip), or the path of a profile file."
        )
        let none = #expect(throws: ProfileError.self) { try ProfileLibrary(folders: []).load("pip") }
        #expect(
            none?.description
                == "pip: found no profile with this name, expected the path of a profile file, because no profiles are installed."
        )
    }

    @Test("a missing file, a folder, and an endless file are each reported")
    func unreadable() throws {
        let library = ProfileLibrary(folders: [])
        let missing = #expect(throws: ProfileError.self) { try library.load("/none/x.yaml") }
        #expect(
            missing?.description == "/none/x.yaml: found no such file, expected a readable profile file.")
        let folder = #expect(throws: ProfileError.self) { try library.load("/usr/") }
        #expect(folder?.found == "a folder")
        let endless = #expect(throws: ProfileError.self) { try library.load("/dev/zero") }
        #expect(endless?.found == "a device")
    }

    @Test("the shipped profiles exist and are valid")
    func shippedProfiles() throws {
        let entries = ProfileLibrary(folders: [Self.shipped]).list()
        #expect(
            Set(entries.map(\.name)).isSuperset(of: [
                "grid", "interview", "pip", "portrait", "side-by-side", "stress", "tracks",
            ]))
        for entry in entries {
            #expect(entry.problem == nil)
            let limits = try #require(entry.profile).limits
            #expect(
                limits.lostFrames.map { $0 <= 0.01 } == true, "\(entry.name) allows no more than is usual")
            #expect(
                limits.lostSamples.map { $0 <= 0.001 } == true, "\(entry.name) allows no more than is usual")
            #expect(!entry.description.isEmpty, "\(entry.name) says what it is for")
        }
        let pip = try #require(entries.first { $0.name == "pip" }?.profile)
        #expect(pip.cameras.map(\.role) == ["desk", "face"])
        #expect(pip.microphones.map(\.role) == ["host"])
        #expect(pip.program?.shown == ["desk", "face"])
        #expect(pip.tracks == TrackSettings(cameras: .none, microphones: .none))
        let tracks = try #require(entries.first { $0.name == "tracks" }?.profile)
        #expect(tracks.program == nil && tracks.tracks == TrackSettings(cameras: .copy, microphones: .wav))
    }

    @Test(
        "the shipped profiles are built into the program, identical to their files, and found without a folder"
    )
    func withoutFolders() throws {
        let files = ProfileLibrary(folders: [Self.shipped]).list()
        #expect(ShippedProfile.all.map(\.name) == files.map(\.name))
        let library = ProfileLibrary(folders: [], shipped: ShippedProfile.all)
        for file in files {
            let path = try #require(file.path)
            let text = try library.text(of: file.name)
            #expect(text.path == nil)
            #expect(try Data(text.bytes) == Data(contentsOf: URL(filePath: path)))
        }
        let entries = library.list()
        #expect(entries.map(\.name) == files.map(\.name))
        #expect(entries.map(\.description) == files.map(\.description))
        #expect(entries.allSatisfy { $0.path == nil && $0.problem == nil })
        #expect(try library.load("pip").name == "pip")
        #expect(ProfileLibrary(environment: [:], executable: nil).shipped == ShippedProfile.all)
        let error = #expect(throws: ProfileError.self) { try library.load("pips") }
        #expect(error?.description.contains("probably pip") == true)
    }

    @Test(
        "a profile in any folder has priority over a built-in one, and its errors name its file")
    func foldersFirst() throws {
        let folder = Folder()
        try folder.write("pip.yaml", "description: Mine\ncameras: { a: }\n")
        let shipped = [
            ShippedProfile(name: "pip", bytes: Array("cameras: { a: }".utf8)),
            ShippedProfile(name: "bad", bytes: Array("cameras: 1".utf8)),
        ]
        let library = ProfileLibrary(folders: [folder.path], shipped: shipped)
        #expect(try library.load("pip").description == "Mine")
        let entries = library.list()
        #expect(entries.map(\.path) == [nil, folder.path + "/pip.yaml"])
        #expect(entries[0].problem?.file == "bad.yaml")
    }

    @Test("a profile file is listed first, and replaces the profile with the same name")
    func withFile() throws {
        let folder = Folder()
        try folder.write("pip.yaml", "description: Mine\ncameras: { a: }\n")
        try folder.write("bad.yaml", "cameras: 1")
        let library = ProfileLibrary(
            folders: [], shipped: [ShippedProfile(name: "pip", bytes: Array("cameras: { a: }".utf8))])
        #expect(library.list(withFile: folder.path + "/pip.yaml").map(\.description) == ["Mine"])
        let listed = library.list(withFile: folder.path + "/bad.yaml")
        #expect(listed.map(\.name) == ["bad", "pip"])
        #expect(listed[0].problem != nil && listed[0].profile == nil)
    }

    @Test(
        "in the pattern `people`, each camera shows another person, and microphones record the person of their camera, or all people",
        arguments: [
            (1, 1, ["person=1&speakers=1"], ["speakers=1"]),
            (2, 1, ["person=1&speakers=2", "person=2&speakers=2"], ["speakers=2"]),
            (
                3, 2, ["person=1&speakers=2", "person=2&speakers=2", "person=3&speakers=2"],
                ["person=1&speakers=2", "person=2&speakers=2"]
            ),
            (
                5, 0, [1, 2, 3, 4, 1].map { "person=\($0)&speakers=4" }, []
            ),
        ] as [(Int, Int, [String], [String])])
    func people(cameras: Int, microphones: Int, pictures: [String], audio: [String]) throws {
        let profile = Profile(
            name: "p", cameras: (0..<cameras).map { CameraRole(role: "c\($0)") },
            microphones: (0..<microphones).map { MicrophoneRole(role: "m\($0)") })
        let replaced = try profile.replacingDevices(virtually: .people)
        #expect(replaced.cameras.map(\.device) == pictures.map { "virtual:people?" + $0 })
        #expect(replaced.microphones.map(\.device) == audio.map { "virtual:people?" + $0 })
    }

    @Test("--virtual replaces real devices that no option names, and options replace any")
    func devices() throws {
        let profile = Profile(
            name: "p",
            cameras: [
                CameraRole(role: "a"), CameraRole(role: "b", device: "virtual:bars"),
                CameraRole(role: "c", device: "file:x.mov"), CameraRole(role: "d"),
            ],
            microphones: [MicrophoneRole(role: "m"), MicrophoneRole(role: "n")])
        let replaced = try profile.replacingDevices(
            cameras: [("d", "/dev/video1"), ("d", "/dev/video2"), ("b", "any")],
            microphones: [("n", "pulse:x")],
            virtually: .clap)
        #expect(replaced.cameras.map(\.device) == ["virtual:clap", "any", "file:x.mov", "/dev/video2"])
        #expect(replaced.microphones.map(\.device) == ["virtual:clap", "pulse:x"])
        let error = #expect(throws: ProfileError.self) {
            try profile.replacingDevices(cameras: [("m", "any")])
        }
        #expect(
            error?.description
                == "camera m=any: found the role “m”, expected a camera role of “p”: a, b, c or d."
        )
    }
}
