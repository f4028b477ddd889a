import Testing

@testable import MulticamStudio

@Suite("The configuration of a studio")
struct StudioPlanTests {
    private static func plan(_ choice: [String]) -> StudioPlan {
        StudioPlan(
            program: "/bin/false", webProgram: "/bin/false", choice: choice, output: nil,
            address: "127.0.0.1",
            port: 0, isEncrypted: false, certificate: nil, stateFolder: "/", profileFolder: nil, recorder: nil
        )
    }

    @Test("the page refers to a profile file by its name, and to other profiles by theirs")
    func profileFile() {
        let plan = Self.plan(["--profile", "/home/a/my-show.yaml"])
        #expect(plan.profileFile?.name == "my-show" && plan.profileFile?.path == "/home/a/my-show.yaml")
        #expect(plan.profileArgument("my-show") == "/home/a/my-show.yaml")
        #expect(plan.profileArgument("pip") == "pip")
        #expect(plan.profileArgument("/home/a/my-show.yaml") == nil && plan.profileArgument(nil) == nil)
    }

    @Test(
        "a profile of the library, or a file whose name can't be part of an address, isn't a profile file",
        arguments: [
            ["--profile", "pip"], ["--profile", "/home/a/my show.yaml"], ["--virtual"], ["--profile"],
        ])
    func noProfileFile(choice: [String]) {
        let plan = Self.plan(choice)
        #expect(plan.profileFile == nil)
        #expect(plan.profileArgument("pip") == "pip")
    }

    @Test("the calibration uses the default pattern of virtual devices")
    func calibration() {
        let plan = Self.plan(["--profile", "pip", "--virtual-pattern", "people", "--no-mics"])
        #expect(plan.calibrationOptions == ["--profile", "pip", "--virtual", "--no-mics"])
        #expect(Self.plan(["--profile", "pip"]).calibrationOptions == ["--profile", "pip"])
    }
}
